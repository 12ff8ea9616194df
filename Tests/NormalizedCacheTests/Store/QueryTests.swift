import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Queries: keys, order, completeness, libraries")
struct QueryTests {
  @Test("B1 An event costs nothing in queries that it does not concern")
  func unrelatedQueries() throws {
    let counter = CallCounter()
    var store = try CacheStore(composition: .test(), schema: CountingSchema(counter: counter))
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    func load(_ folder: Int) {
      let key = NoteQuery.folder(folder).key()
      guard let fetch = store.read(key, at: .zero).fetch else { return }
      store.completeFetch(fetch, with: server.answer(key), at: .zero)
    }
    func callsOfAnUpdate(_ title: String) -> Int {
      counter.reset()
      store.receive(server.write((1, Note(folder: 0, title: title))), at: .zero)
      return counter.calls
    }
    load(0)
    _ = callsOfAnUpdate("c")
    let alone = callsOfAnUpdate("d")
    for folder in 1...10_000 { load(folder) }
    #expect(store.cachedQueries == 10_001)
    #expect(callsOfAnUpdate("e") == alone)
    #expect(alone > 0)
  }

  @Test("B16 A result keeps the server's order and its duplicates")
  func orderAndDuplicates() throws {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    var client = try NoteClient()
    client.read(.folder(0))
    let fetch = client.takeFetch()
    var response = server.answer(fetch.target)
    response.entities = [1, 0, 1, 1, 0].map { response.entities[$0] }
    client.complete(fetch.id, with: response)
    #expect(client.rows(of: .folder(0)) == [2, 1, 2, 2, 1])
    #expect(client.read(.folder(0)) == .hit)
    client.store.checkInvariants()
  }

  @Test(
    "B17 A member that is missing makes the read partial, never shorter and fresh",
    // The most recently used order gives up at once what a fetch brings.
    arguments: PolicyComposition.boundedOrders.filter { $0 != "mru" })
  func partial(order: String) throws {
    var server = NoteServer()
    for number in 0..<3 { server.write((number, Note(folder: 0, title: "\(number)"))) }
    var client = try NoteClient(.test(evictionOrder: order, capacity: Capacity(entities: 3)))
    _ = client.load(.folder(0), from: server)
    #expect(client.read(.folder(0)) == .hit)
    client.receive(server.write((9, Note(folder: 9, title: "pushes one out"))))
    #expect(client.store.rows(of: NoteQuery.folder(0).key())?.count == 3)
    #expect(client.rows(of: .folder(0)).count == 2)
    #expect(client.isFresh(.folder(0)) == false)
    #expect(client.read(.folder(0)) == .partial)
    #expect(client.load(.folder(0), from: server) == [0, 1, 2])
  }

  @Test("B19 An empty result is a valid hit, and can be entered")
  func empty() throws {
    var server = NoteServer()
    var client = try NoteClient()
    client.heartbeat(from: server)
    #expect(client.load(.folder(3), from: server) == [])
    #expect(client.read(.folder(3)) == .hit)
    #expect(client.isFresh(.folder(3)) == true)
    client.receive(server.write((1, Note(folder: 3, title: "a"))))
    #expect(client.rows(of: .folder(3)) == [1])
  }

  @Test("B20 Keys are compared whole; the case of a UUID does not matter")
  func keys() throws {
    let base = NoteQuery.folder(1).key()
    var others: [QueryKey] = [base, base, base]
    others[0].library = .other
    others[1].method = NoteQuery.starredMethod
    others[2].input.append(0)
    for other in others { #expect(other != base) }
    #expect(NoteQuery.folder(1).key() == base)
    let lower = try #require(UniqueID("00000000-0000-0001-0000-0000000000ab"))
    let upper = try #require(UniqueID("00000000-0000-0001-0000-0000000000AB"))
    #expect(lower == upper)
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

  @Test("What is never cached bypasses the cache, and says so")
  func bypass() throws {
    let server = NoteServer()
    var client = try NoteClient()
    for _ in 0..<2 {
      #expect(client.read(.live) == .bypass)
      client.answerAll(from: server)
    }
    #expect(client.store.cachedQueries == 0)
  }
}

/// Counts the questions that a store asks of its schema.
final class CallCounter: Sendable {
  private nonisolated(unsafe) var count = 0

  var calls: Int { count }

  func call() { count += 1 }

  func reset() { count = 0 }
}

/// The notes' schema, which counts what a list costs.
struct CountingSchema: CacheSchema {
  let counter: CallCounter
  private let base = NoteSchema()

  init(counter: CallCounter) {
    self.counter = counter
  }

  func plan(for query: QueryKey) -> QueryPlan<NoteQuery> { base.plan(for: query) }

  func forEachScope(of payload: Note, key: EntityKey, _ body: (QueryScope) -> Void) {
    base.forEachScope(of: payload, key: key, body)
  }

  func weight(of payload: Note) -> Int { base.weight(of: payload) }

  func areEqual(_ lhs: Note, _ rhs: Note) -> Bool { base.areEqual(lhs, rhs) }

  func belongs(_ payload: Note, key: EntityKey, in predicate: NoteQuery) -> Belonging {
    counter.call()
    return base.belongs(payload, key: key, in: predicate)
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey,
    in predicate: NoteQuery
  ) -> Bool {
    counter.call()
    return base.precedes(lhs, key: lhsKey, rhs, key: rhsKey, in: predicate)
  }

  func applying(_ change: NoteChange, to payload: Note) -> Note {
    base.applying(change, to: payload)
  }

  func location(of payload: Note) -> UniqueID? { base.location(of: payload) }
}
