import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Polling: observed queries are asked for by a timer")
struct PollingTests {
  let folder = NoteQuery.folder(0)

  private func polling(
    every interval: Duration?, freshness: Freshness = .neverExpires
  ) throws -> NoteClient {
    var composition = PolicyComposition.test(freshness: freshness)
    composition.pollInterval = interval
    return try NoteClient(composition)
  }

  @Test("B24 An observed query is fetched again so long after its last answer, and not before")
  func interval() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    for _ in 0..<3 {
      #expect(client.store.nextDeadline == client.now.advanced(by: .seconds(30)))
      client.wait(.seconds(30) - .nanoseconds(1))
      #expect(client.fetches.isEmpty)
      client.wait(.nanoseconds(1))
      #expect(client.fetches.count == 1)
      client.wait(.seconds(100))
      #expect(client.fetches.count == 1, "one is in flight")
      client.answerAll(from: server)
      client.store.checkInvariants()
    }
    #expect(client.takeNotified() == [folder.key()], "only the first answer was news")
  }

  @Test("B24 Any answer puts the next poll off, whoever asked for it")
  func putOff() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.wait(.seconds(20))
    client.store.invalidate(folder.key(), at: client.now)
    client.answerAll(from: server)
    client.wait(.seconds(29))
    #expect(client.fetches.isEmpty)
    client.wait(.seconds(1))
    #expect(client.fetches.count == 1)
    client.store.checkInvariants()
  }

  @Test("B24 What is not observed is not polled; observed again, what is due is asked for at once")
  func unobserved() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    _ = client.load(folder, from: server)
    #expect(client.store.nextDeadline == nil)
    client.wait(.seconds(20))
    client.store.addObserver(of: folder.key(), at: client.now)
    #expect(client.store.nextDeadline == Instant.zero.advanced(by: .seconds(30)))
    client.stopObserving(folder)
    client.wait(.seconds(60))
    #expect(client.fetches.isEmpty)
    client.store.addObserver(of: folder.key(), at: client.now)
    #expect(client.read(folder) == .hit)
    #expect(client.fetches.count == 1)
    client.store.checkInvariants()
  }

  @Test("B24 What is no longer observed wakes nobody, whoever has it answered")
  func unobservedIsForgotten() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.wait(.seconds(20))
    client.stopObserving(folder)
    client.store.invalidate(folder.key(), at: client.now)
    _ = client.load(folder, from: server)
    // The instant that was noted while it was observed may still come; no other does.
    client.wait(.seconds(10))
    #expect(client.store.nextDeadline == nil)
    #expect(client.fetches.isEmpty)
    client.store.checkInvariants()
  }

  @Test("B24 A poll that fails is tried again as any fetch of an observed query is")
  func failure() throws {
    let server = FreshnessTests.server()
    var client = try polling(every: .seconds(30))
    client.observe(folder, from: server)
    client.store.invalidate(folder.key(), at: client.now)
    client.collect()
    client.fail(client.takeFetch().id)
    client.wait(.seconds(1))
    client.fail(client.takeFetch().id)
    #expect(client.store.nextDeadline == client.now.advanced(by: .seconds(2)))
    client.wait(.seconds(2))
    client.answerAll(from: server)
    client.wait(.seconds(30) - .nanoseconds(1))
    #expect(client.fetches.isEmpty)
    client.wait(.nanoseconds(1))
    #expect(client.fetches.count == 1)
    client.store.checkInvariants()
  }

  @Test("B24 A query that takes a dropped one's place is due when it was answered itself")
  func reusedPlace() throws {
    let server = FreshnessTests.server()
    var composition = PolicyComposition.test(maximumQueries: 1)
    composition.pollInterval = .seconds(30)
    var client = try NoteClient(composition)
    client.observe(folder, from: server)
    client.stopObserving(folder)
    client.wait(.seconds(25))
    _ = client.load(.folder(7), from: server)
    client.store.addObserver(of: NoteQuery.folder(7).key(), at: client.now)
    client.wait(.seconds(29))
    #expect(client.fetches.isEmpty)
    client.wait(.seconds(1))
    #expect(client.fetches.map(\.target) == [.query(NoteQuery.folder(7).key())])
    client.store.checkInvariants()
  }

  @Test("B12 An interval of nothing, or less, is refused; none polls nobody")
  func refused() throws {
    #expect(throws: CompositionError.zeroDuration(field: "poll interval")) {
      _ = try polling(every: .zero)
    }
    #expect(throws: CompositionError.negativeDuration(field: "poll interval")) {
      _ = try polling(every: .seconds(-1))
    }
    let server = FreshnessTests.server()
    var client = try polling(every: nil)
    client.observe(folder, from: server)
    #expect(client.store.nextDeadline == nil)
  }
}
