import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// The table in the documentation of ``Freshness``, and related cases.
@Suite("Expired results: served immediately, or when the fetch fails")
struct ExpiredServiceTests {
  let folder = NoteQuery.folder(0)

  struct Row: Sendable {
    var timeToLive: Duration?
    var whileRevalidate = Duration.zero
    var ifError = Duration.zero
    var age: Duration
    var outcome: ReadOutcome
    var isExpired = false
    /// The result for waiting callers when the fetch fails; `nil` without a fetch.
    var failed: FetchEnding?
  }

  static let table: [Row] = [
    // Without windows.
    Row(timeToLive: .seconds(10), age: .seconds(10) - .nanoseconds(1), outcome: .hit),
    Row(timeToLive: .seconds(10), age: .seconds(10), outcome: .missExpired, failed: .failed),
    Row(timeToLive: .zero, age: .zero, outcome: .missExpired, failed: .failed),
    Row(timeToLive: nil, age: .seconds(9_000_000_000), outcome: .hit),
    Row(timeToLive: .nanoseconds(1), age: .zero, outcome: .hit),
    // Longer than an instant can say: it never comes.
    Row(timeToLive: .seconds(9_200_000_000), age: .seconds(9_100_000_000), outcome: .hit),
    Row(timeToLive: .seconds(1 << 60), age: .seconds(9_000_000_000), outcome: .hit),
    // Stale while revalidate.
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(5), age: .seconds(10), outcome: .hit,
      isExpired: true, failed: .failed),
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(5),
      age: .seconds(15) - .nanoseconds(1), outcome: .hit, isExpired: true, failed: .failed),
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(5), age: .seconds(15),
      outcome: .missExpired, failed: .failed),
    Row(
      timeToLive: .zero, whileRevalidate: .nanoseconds(1), age: .zero, outcome: .hit,
      isExpired: true, failed: .failed),
    Row(
      timeToLive: .zero, whileRevalidate: .nanoseconds(1), age: .nanoseconds(1),
      outcome: .missExpired, failed: .failed),
    // Stale if error.
    Row(
      timeToLive: .seconds(10), ifError: .seconds(5), age: .seconds(10), outcome: .missExpired,
      failed: .servedExpired),
    Row(
      timeToLive: .seconds(10), ifError: .seconds(5), age: .seconds(15) - .nanoseconds(1),
      outcome: .missExpired, failed: .servedExpired),
    Row(
      timeToLive: .seconds(10), ifError: .seconds(5), age: .seconds(15), outcome: .missExpired,
      failed: .failed),
    Row(
      timeToLive: .zero, ifError: .seconds(5), age: .zero, outcome: .missExpired,
      failed: .servedExpired),
    // Both, and forever.
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(5), ifError: .seconds(9),
      age: .seconds(12), outcome: .hit, isExpired: true, failed: .servedExpired),
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(5), ifError: .seconds(9),
      age: .seconds(16), outcome: .missExpired, failed: .servedExpired),
    Row(
      timeToLive: .seconds(10), whileRevalidate: .seconds(1 << 60), ifError: .seconds(1 << 60),
      age: .seconds(9_000_000_000), outcome: .hit, isExpired: true, failed: .servedExpired),
    Row(
      timeToLive: nil, whileRevalidate: .seconds(5), ifError: .seconds(5),
      age: .seconds(9_000_000_000), outcome: .hit),
  ]

  @Test("B25 A redraw does not count as a use of rows, whether served expired or not")
  func repeatedReads() throws {
    for age in [5, 15] {
      var client = try NoteClient(
        .test(
          capacity: Capacity(entities: 2),
          freshness: Freshness(
            timeToLive: .seconds(10), staleWhileRevalidate: .seconds(100))))
      var server = NoteServer()
      for number in 0..<2 { server.write((number, Note(folder: number, title: "a"))) }
      for folder in 0..<2 { _ = client.load(.folder(folder), from: server) }
      client.wait(.seconds(age))
      let repeated = client.store.read(folder.key(), at: client.now, isRepeated: true)
      #expect(repeated.outcome == .hit)
      #expect(repeated.isExpired == (age > 10))
      // The row that was read first is evicted first, however often it was drawn since.
      client.write(7, Note(folder: 7, title: "b"), clock: 99)
      #expect(client.residents == [1, 7], "after \(age) s")
    }
  }

  @Test("B25 The table of Freshness holds for queries", arguments: table, [false, true])
  func queries(row: Row, dropsExpired: Bool) throws {
    let server = FreshnessTests.server()
    var client = try NoteClient(
      .test(
        retention: .cached,
        freshness: Freshness(
          timeToLive: row.timeToLive, dropsExpired: dropsExpired,
          staleWhileRevalidate: row.whileRevalidate, staleIfError: row.ifError)))
    client.now = Instant(nanoseconds: 7)
    _ = client.load(folder, from: server)
    client.wait(row.age)
    let read = client.store.read(folder.key(), at: client.now)
    client.collect()
    #expect(read.outcome == row.outcome)
    #expect(read.isExpired == row.isExpired)
    #expect((read.fetch != nil) == (row.failed != nil))
    #expect(client.isFresh(folder) == (row.failed == nil), "what has expired is never called fresh")
    if let failed = row.failed {
      #expect(client.fail(client.takeFetch().id) == failed)
      if failed == .servedExpired { #expect(client.rows(of: folder) == [1]) }
    }
  }

  @Test("B25 The table of Freshness holds for single entities", arguments: table)
  func entities(row: Row) throws {
    let server = FreshnessTests.server()
    var client = try NoteClient(
      .test(
        freshness: Freshness(
          timeToLive: row.timeToLive, staleWhileRevalidate: row.whileRevalidate,
          staleIfError: row.ifError)))
    client.now = Instant(nanoseconds: 7)
    _ = client.load(folder, from: server)
    client.wait(row.age)
    let read = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.collect()
    #expect(read.outcome == row.outcome)
    #expect(read.isExpired == row.isExpired)
    #expect(read.entity?.key == .note(1))
    if let failed = row.failed { #expect(client.fail(client.takeFetch().id) == failed) }
  }

  static let windowed = CachePolicy.test(
    freshness: Freshness(
      timeToLive: .seconds(10), staleWhileRevalidate: .seconds(30), staleIfError: .seconds(30)))

  @Test("B25 Reads within the window share one fetch, which brings the result up to date")
  func background() throws {
    var server = FreshnessTests.server()
    var client = try NoteClient(Self.windowed)
    client.observe(folder, from: server)
    _ = client.takeNotified()
    client.wait(.seconds(11))
    server.write((2, Note(folder: 0, title: "b")))
    for _ in 0..<3 { #expect(client.read(folder) == .hit) }
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    #expect(client.takeNotified() == [folder.key()])
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.isFresh(folder) == true)
  }

  @Test(
    "B25 Invalidated results, and results that lack a row, are served in no window",
    arguments: ["key", "tag", "epoch", "eviction"])
  func invalidated(cause: String) throws {
    var server = FreshnessTests.server()
    var composition = Self.windowed
    composition.capacity = Capacity(entities: 1)
    var client = try NoteClient(composition)
    _ = client.load(folder, from: server)
    client.wait(.seconds(11))
    switch cause {
    case "key": client.store.invalidate(folder.key(), at: client.now)
    case "tag": client.store.invalidate(InvalidationTag(library: .test), at: client.now)
    case "epoch":
      server.restart()
      client.heartbeat(from: server)
    default: client.write(50, Note(folder: 5, title: "pushes it out"), clock: 99)
    }
    #expect(client.read(folder) == .missExpired)
    #expect(client.fail(client.takeFetch().id) == .failed)
    if cause != "eviction" { #expect(client.rows(of: folder) == [1], "the data stays") }
  }

  @Test("B25 What is served expired is kept until its refresh ends", arguments: [true, false])
  func refreshOutlastsWindow(isAnswered: Bool) throws {
    let server = FreshnessTests.server()
    var composition = Self.windowed
    composition.freshness.dropsExpired = true
    var client = try NoteClient(composition)
    _ = client.load(folder, from: server)
    client.wait(.seconds(40) - .nanoseconds(1))
    #expect(client.read(folder) == .hit)
    let refresh = client.takeFetch()
    client.wait(.seconds(1))
    if isAnswered {
      client.complete(refresh.id, with: server.answer(refresh.target))
      #expect(client.read(folder) == .hit)
      #expect(client.isFresh(folder) == true)
    } else {
      #expect(client.fail(refresh.id) == .failed)
      #expect(client.store.cachedQueries == 0)
    }
  }

  @Test("B25 Within a window a query is not let go, after it it is")
  func letGo() throws {
    let server = FreshnessTests.server()
    for dropsExpired in [false, true] {
      var composition = Self.windowed
      composition.retention = .cached
      composition.freshness.dropsExpired = dropsExpired
      var client = try NoteClient(composition)
      _ = client.load(folder, from: server)
      client.wait(.seconds(40) - .nanoseconds(1))
      #expect(client.store.referenceCount(of: .note(1)) == 1)
      client.wait(.nanoseconds(1))
      #expect(client.store.referenceCount(of: .note(1)) == 0)
      #expect(client.store.cachedQueries == (dropsExpired ? 0 : 1))
    }
  }
}
