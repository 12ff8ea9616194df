import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Queries: keys, order, completeness, libraries")
struct QueryTests {
  @Test("B1 An event costs nothing in queries that it does not concern")
  func unrelatedQueries() throws {
    var store = try CacheStore(composition: .test(), schema: CountingNotes())
    var server = NoteServer(
      writing: (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    func load(_ folder: Int) {
      let key = NoteQuery.folder(folder).key()
      guard let fetch = store.read(key, at: .zero).fetch else { return }
      store.completeFetch(fetch, with: server.answer(key), at: .zero)
    }
    func callsOfAnUpdate(_ title: String) -> Int {
      let before = store.schema.questions.count
      store.receive(server.write((1, Note(folder: 0, title: title))), at: .zero)
      return store.schema.questions.count - before
    }
    load(0)
    _ = callsOfAnUpdate("c")
    let alone = callsOfAnUpdate("d")
    for folder in 1...10_000 { load(folder) }
    #expect(store.cachedQueries == 10_001)
    #expect(callsOfAnUpdate("e") == alone)
    #expect(alone > 0)
  }

  @Test("B21 Two libraries never leak into each other")
  func libraries() throws {
    var mine = NoteServer()
    var other = NoteServer(library: .other)
    mine.write((1, Note(folder: 0, title: "a")))
    other.write((101, Note(folder: 0, title: "a")))
    var client = try NoteClient()
    let keys = [NoteQuery.folder(0).key(), NoteQuery.folder(0).key(in: .other)]
    for (key, server) in zip(keys, [mine, other]) {
      client.store.addObserver(of: key, at: client.now)
      guard let fetch = client.store.read(key, at: client.now).fetch else { continue }
      client.store.completeFetch(fetch, with: server.answer(key), at: client.now)
    }
    _ = client.store.takeActions()
    func numbers(_ key: QueryKey) -> [UInt64] {
      (client.store.rows(of: key) ?? []).compactMap { $0?.key.id.low }
    }
    client.receive(other.write((102, Note(folder: 0, title: "b"))))
    #expect(keys.map(numbers) == [[1], [101, 102]])
    #expect(client.takeNotified() == [keys[1]])

    client.store.invalidate(InvalidationTag(library: .other), at: client.now)
    client.collect()
    #expect(client.fetches.map(\.target) == [.query(keys[1])])
    client.fail(client.takeFetch().id)

    mine.restart()
    client.heartbeat(from: mine)
    #expect(client.fetches.map(\.target) == [.query(keys[0])], "not the other library's")
  }
}

@Suite("The evicted query, and the kind of its miss")
struct DepartureTests {
  private let folder = NoteQuery.folder(0)

  /// A client that observed a folder without ever getting an answer.
  private func unanswered(_ composition: CachePolicy) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.now = Instant.zero.advanced(by: .seconds(1_000))
    client.store.addObserver(of: folder.key(), at: client.now)
    client.read(folder)
    client.fail(client.takeFetch().id)
    return client
  }

  @Test(
    "B26 A query that was never answered is cold, however it left", arguments: Retention.allCases)
  func neverAnswered(retention: Retention) throws {
    let freshness = Freshness(timeToLive: .seconds(10), dropsExpired: true)
    for maximum in [nil, 1] {
      var client = try unanswered(
        .test(retention: retention, freshness: freshness, maximumQueries: maximum))
      client.stopObserving(folder)
      client.wait(.seconds(20))
      if maximum != nil { _ = client.load(.folder(1), from: NoteServer()) }
      #expect(client.read(folder) == .missCold)
    }
  }

  @Test("B26 Nor does logging out make it known")
  func cleared() throws {
    let server = NoteServer()
    var client = try unanswered(.test())
    client.store.clear(.test, at: client.now)
    client.collect()
    client.answerAll(from: server)
    client.stopObserving(folder)
    #expect(client.read(folder) == .hit)
    client.store.clear(.test, at: client.now)
    #expect(client.read(folder) == .missInvalidated, "by then it had been answered")
  }

  @Test("B26 A failed fetch leaves an expired query expired")
  func answeredOnce() throws {
    let server = NoteServer()
    var client = try NoteClient(
      .test(freshness: Freshness(timeToLive: .seconds(10), dropsExpired: true)))
    _ = client.load(folder, from: server)
    client.wait(.seconds(10))
    #expect(client.read(folder) == .missExpired)
    client.fail(client.takeFetch().id)
    #expect(client.read(folder) == .missExpired)
  }

  @Test("B9 A read and an observer that comes or goes are uses; the query used longest ago leaves")
  func leastRecentlyUsed() throws {
    let server = NoteServer()
    var client = try NoteClient(.test(maximumQueries: 3))
    client.observe(.folder(0), from: server)
    _ = client.load(.folder(1), from: server)
    _ = client.load(.folder(2), from: server)
    client.stopObserving(.folder(0))
    _ = client.load(.folder(3), from: server)
    #expect(client.read(.folder(1)) == .missEvicted, "read second, and then no more")
    client.answerAll(from: server)
    #expect(
      client.read(.folder(2)) == .missEvicted, "read third; the first was on screen after that")
    client.answerAll(from: server)
    #expect(client.read(.folder(0)) == .missEvicted)
  }

  @Test("B9 Of several queries that leave the screen at one instant, the first goes first")
  func oneInstant() throws {
    let server = NoteServer()
    var client = try NoteClient(.test(maximumQueries: 2))
    for number in 0..<3 { client.observe(.folder(number), from: server) }
    for number in [2, 0, 1] { client.stopObserving(.folder(number)) }
    #expect(client.store.cachedQueries == 2)
    #expect(client.read(.folder(0)) == .hit)
    #expect(client.read(.folder(1)) == .hit)
    #expect(client.read(.folder(2)) == .missEvicted)
  }

  @Test("B9 A query that is never cached is held and shared while somebody observes it")
  func observedAndNotCached() throws {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "a")))
    var client = try NoteClient()
    #expect(client.read(.live) == .bypass)
    client.answerAll(from: server)
    #expect(client.read(.live) == .bypass)
    client.answerAll(from: server)
    client.observe(.live, from: server)
    #expect(client.read(.live) == .hit)
    client.stopObserving(.live)
    #expect(client.read(.live) == .bypass)
  }
}

@Suite("Sums of stores' counts")
struct CacheStatisticsTests {
  private static var paths: [(label: String, path: WritableKeyPath<CacheStatistics, Int>)] {
    [
      ("reads", \.reads), ("hits", \.hits), ("evictions", \.evictions),
      ("rejections", \.rejections), ("retainedOverflow", \.retainedOverflow),
      ("queriesEvicted", \.queriesEvicted), ("entityAccesses", \.entityAccesses),
      ("eventsApplied", \.eventsApplied), ("itemsApplied", \.itemsApplied),
      ("itemsSuperseded", \.itemsSuperseded), ("itemsUndecodable", \.itemsUndecodable),
      ("duplicatesIgnored", \.duplicatesIgnored), ("gapsDetected", \.gapsDetected),
      ("gapsHealed", \.gapsHealed), ("redundantReconciles", \.redundantReconciles),
      ("reconciles", \.reconciles), ("resyncs", \.resyncs),
      ("queriesMarkedStale", \.queriesMarkedStale), ("notifications", \.notifications),
      ("peakResidentEntities", \.peakResidentEntities),
      ("peakResidentWeight", \.peakResidentWeight), ("peakQueries", \.peakQueries),
    ]
  }

  /// Each count is this much, and as much more as its place.
  private static func statistics(_ base: Int) -> CacheStatistics {
    var statistics = CacheStatistics()
    for (place, entry) in paths.enumerated() { statistics[keyPath: entry.path] = base + place }
    return statistics
  }

  @Test("Nothing that is counted is forgotten here")
  func complete() {
    let fields = Mirror(reflecting: CacheStatistics()).children.compactMap(\.label)
    #expect(Set(Self.paths.map(\.label) + ["peakUse"]) == Set(fields))
  }

  @Test("A difference is of every count; peaks stay those of the whole time")
  func difference() {
    let difference = Self.statistics(1_000) - Self.statistics(900)
    for (place, entry) in Self.paths.enumerated() {
      let expected = entry.label.hasPrefix("peak") ? 1_000 + place : 100
      #expect(difference[keyPath: entry.path] == expected, "\(entry.label)")
    }
  }

  @Test("A sum is of every count; a peak is the highest of one store, whichever it is")
  func sum() {
    var sum = Self.statistics(1_000)
    sum.add(Self.statistics(200))
    var other = Self.statistics(200)
    other.add(Self.statistics(1_000))
    #expect(sum == other)
    for (place, entry) in Self.paths.enumerated() {
      let expected = entry.label.hasPrefix("peak") ? 1_000 + place : 1_200 + 2 * place
      #expect(sum[keyPath: entry.path] == expected, "\(entry.label)")
    }
  }
}
