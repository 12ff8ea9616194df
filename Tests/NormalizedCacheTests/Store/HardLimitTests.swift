import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Hard limits: retained entities are evicted", .timeLimit(.minutes(30)))
struct HardLimitTests {
  /// Folder n has as many notes as `rows` says, numbered from 10 n.
  static func server(rows: [Int] = [4, 1, 1, 1, 1]) -> NoteServer {
    var server = NoteServer()
    for (folder, count) in rows.enumerated() {
      for row in 0..<count {
        server.write((10 * folder + row, Note(folder: folder, title: "\(row)")))
      }
    }
    return server
  }

  static func client(
    _ capacity: Capacity, _ retention: Retention, limit: LimitKind = .hard, order: String = "lru",
    maximumQueries: Int? = nil
  ) throws -> NoteClient {
    var composition = CachePolicy.test(
      evictionOrder: order, capacity: capacity, retention: retention,
      maximumQueries: maximumQueries)
    composition.limit = limit
    return try NoteClient(composition)
  }

  @Test("B3 B11 Observed rows lose their values, oldest first; their list stays; readers have all")
  func observedRows() throws {
    let server = Self.server()
    var client = try Self.client(Capacity(entities: 3), .observed)
    client.store.addObserver(of: NoteQuery.folder(0).key(), at: client.now)
    client.read(.folder(0))
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.complete(fetch.id, with: response)
    let returned = client.store.rows(of: fetch.target, answeredBy: response).map(\.key.id.low)
    #expect(returned == [0, 1, 2, 3])
    #expect(client.residents == [1, 2, 3])
    #expect(client.store.rows(of: NoteQuery.folder(0).key())?.count == 4, "the list stays")
    #expect(client.store.statistics.evictions == 1)
    #expect(client.read(.folder(0)) == .partial)
    for _ in 0..<3 { client.heartbeat(from: server) }
    #expect(client.fetches.count == 1, "only the read asked")
  }

  @Test("B3 Evictable entities go first, then unobserved queries, the least recently used first")
  func unobservedQueries() throws {
    var server = Self.server()
    var client = try Self.client(Capacity(entities: 3), .cached)
    client.observe(.folder(1), from: server)
    for folder in [2, 3] { _ = client.load(.folder(folder), from: server) }
    client.receive(server.write((50, Note(folder: 9, title: "unlisted"))))
    #expect(client.residents == [10, 30, 50], "folder 2 was read longest ago")
    #expect(client.store.statistics.queriesEvicted == 1)
    #expect(client.read(.folder(2)) == .missEvicted)
    client.answerAll(from: server)
    #expect(client.residents == [10, 20, 30], "what nobody holds goes first")
    #expect(client.read(.folder(3)) == .hit)
    _ = client.load(.folder(4), from: server)
    #expect(client.residents == [10, 30, 40])
    #expect(client.read(.folder(1)) == .hit)
  }

  @Test("B3 Among rows of observed queries, the least recently used is evicted")
  func leastRecentlyUsed() throws {
    let server = Self.server()
    for use in ["read", "open", "event"] {
      var server = server
      var client = try Self.client(Capacity(entities: 3), .observed)
      for folder in 1...3 { client.observe(.folder(folder), from: server) }
      switch use {
      case "read": #expect(client.read(.folder(1)) == .hit)
      case "open":
        let read = client.store.readEntity(.note(10), library: .test, at: client.now)
        #expect(read.outcome == .hit)
      default: client.receive(server.write((10, Note(folder: 1, title: "changed"))))
      }
      client.observe(.folder(4), from: server)
      #expect(client.residents == [10, 30, 40], "\(use)")
    }
  }

  @Test("B3 A row that returns is notified to whoever was shown the gap")
  func gapCloses() throws {
    let server = Self.server()
    var client = try Self.client(Capacity(entities: 2), .observed)
    for folder in 1...3 { client.observe(.folder(folder), from: server) }
    #expect(client.residents == [20, 30])
    #expect(client.read(.folder(1)) == .partial)
    _ = client.takeNotified()
    client.answerAll(from: server)
    #expect(client.residents == [10, 30])
    #expect(client.rows(of: .folder(1)) == [10])
    #expect(client.isFresh(.folder(1)) == true)
  }

  @Test("B11 A list without space in the cache takes none of the others' rows")
  func listTooLong() throws {
    let server = Self.server()
    for retention in [Retention.cached, .referenceCount] {
      var client = try Self.client(Capacity(entities: 3), retention)
      client.observe(.folder(1), from: server)
      _ = client.load(.folder(2), from: server)
      client.read(.folder(0))
      let fetch = client.takeFetch()
      let response = server.answer(fetch.target)
      client.complete(fetch.id, with: response)
      #expect(client.store.rows(of: fetch.target, answeredBy: response).count == 4)
      #expect(client.residents == [2, 3, 10], "nobody observes it")
      #expect(client.read(.folder(1)) == .hit)
      #expect(client.read(.folder(0)) == .partial)
    }
  }

  @Test("B15 Entities with pending edits stay, and the limit holds again when the edits end")
  func pendingEdits() throws {
    let server = Self.server()
    var client = try Self.client(Capacity(entities: 2), .observed)
    for folder in [1, 2] { client.observe(.folder(folder), from: server) }
    for (number, note) in [(1, 10), (2, 20)] {
      let edit = ClientMutation<Note, NoteChange>.Edit.update(.note(note), .title("mine"))
      try client.store.begin(
        ClientMutation(token: .mutation(number), library: .test, edits: [edit]), timeout: nil,
        at: client.now)
    }
    client.observe(.folder(3), from: server)
    #expect(client.residents == [10, 20, 30], "two are edited, one was just written")
    client.store.rollBack(.mutation(1), at: client.now)
    client.collect()
    #expect(client.residents == [10, 20], "folder 3 was used longest ago of what may go")
    client.store.rollBack(.mutation(2), at: client.now)
    #expect(client.residents == [10, 20])
  }

  @Test("B10 A value heavier than the limit is returned and not kept, even if a query lists it")
  func overweight() throws {
    var server = Self.server(rows: [0])
    server.write((0, Note(folder: 0, title: "a", text: String(repeating: "x", count: 9))))
    for (limit, isKept) in [(LimitKind.soft, true), (.hard, false)] {
      var client = try Self.client(Capacity(entities: nil, bytes: 9), .observed, limit: limit)
      client.observe(.folder(0), from: server)
      #expect(client.residents == (isKept ? [0] : []))
      #expect(client.store.rows(of: NoteQuery.folder(0).key())?.count == 1)
    }
  }

  @Test("B10 Between its watermark and the limit retained entities stay")
  func watermark() throws {
    let server = Self.server(rows: [1, 1, 1, 1, 1, 1])
    var client = try Self.client(
      Capacity(entities: 4, highWatermark: 0.5, lowWatermark: 0.5), .cached)
    for folder in 0..<4 { _ = client.load(.folder(folder), from: server) }
    #expect(client.residents == [0, 10, 20, 30])
    #expect(client.store.overLimit == 1)
    _ = client.load(.folder(4), from: server)
    #expect(client.residents == [10, 20, 30, 40])
    #expect(client.store.overLimit == 1)
  }

  // MARK: How much of a limit was in use

  @Test("B3 The used share of a limit is reported, of the limit and not of its watermark")
  func overLimit() throws {
    let server = Self.server()
    func share(
      _ capacity: Capacity, _ limit: LimitKind, maximumQueries: Int? = nil
    ) throws -> Double? {
      var client = try Self.client(
        capacity, .observed, limit: limit, maximumQueries: maximumQueries)
      for folder in 0..<3 { client.observe(.folder(folder), from: server) }
      for folder in 0..<3 { client.stopObserving(.folder(folder)) }
      return client.store.overLimit
    }
    #expect(try share(.unlimited, .soft) == nil)
    #expect(try share(Capacity(entities: 12), .soft) == 0.5)
    #expect(try share(Capacity(entities: 4), .soft) == 1.5)
    #expect(try share(Capacity(entities: 4, highWatermark: 0.5, lowWatermark: 0.5), .soft) == 1.5)
    #expect(try share(Capacity(entities: 4), .hard) == 1)
    #expect(try share(Capacity(entities: nil, bytes: 3), .soft) == 2)
    #expect(try share(Capacity(entities: nil, bytes: 3), .hard) == 1)
    #expect(try share(Capacity(entities: 60, bytes: 10), .soft) == 0.6, "the largest of them")
    #expect(try share(.unlimited, .soft, maximumQueries: 6) == 0.5)
    #expect(try share(.unlimited, .soft, maximumQueries: 2) == 1, "observed ones may go beyond")
    #expect(try share(Capacity(entities: 0), .soft, maximumQueries: 0) == 0)
  }

  @Test(
    "B3 B12 A hard limit holds after every commit, whatever the order and the retention",
    arguments: CachePolicy.boundedOrders, Retention.allCases)
  func everyCommit(order: String, retention: Retention) throws {
    let capacities = [
      Capacity(entities: 0), Capacity(entities: 1), Capacity(entities: 3, lowWatermark: 0.5),
      Capacity(entities: nil, bytes: 7), Capacity(entities: 4, bytes: 9),
    ]
    for (index, capacity) in capacities.enumerated() {
      var random = RandomSource(seed: UInt64(index))
      var server = Self.server(rows: [3, 2, 5, 1])
      var client = try Self.client(capacity, retention, order: order, maximumQueries: 3)
      var observed: [NoteQuery] = []
      for _ in 0..<60 {
        let query = NoteQuery.folder(random.below(4))
        switch random.below(6) {
        case 0:
          client.observe(query, from: server)
          observed.append(query)
        case 1 where !observed.isEmpty:
          client.stopObserving(observed.remove(at: random.below(observed.count)))
        case 2: client.store.tag(query.key(), random.chance(0.5), at: client.now)
        case 3: _ = client.load(query, from: server)
        default:
          let text = String(repeating: "x", count: random.below(4))
          let number = 10 * random.below(4) + random.below(3)
          let note = Note(folder: random.below(4), title: "\(random.below(9))", text: text)
          client.receive(server.write((number, note)))
        }
        #expect(client.store.residentEntities <= capacity.entities ?? .max)
        #expect(client.store.residentWeight <= capacity.bytes ?? .max)
      }
      #expect((client.store.overLimit ?? 2) <= 1)
    }
  }
}
