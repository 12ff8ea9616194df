import CacheModel
import NormalizedCache
import Testing
import TidemarkTestSupport

/// Random programs over the whole surface of the store, against a server that is the truth.
@Suite("A random search over the store")
struct StoreSearchTests {
  static let compositions: [PolicyComposition] = {
    var all: [PolicyComposition] = []
    for retention in Retention.allCases {
      for order in ["lru", "fifo"] {
        for membership in [Membership.patch, .markStale] {
          for gapResponse in GapResponse.allCases {
            all.append(
              .test(
                evictionOrder: order, capacity: Capacity(entities: 12, lowWatermark: 0.75),
                retention: retention,
                freshness: Freshness(
                  timeToLive: .seconds(20), perMethod: [NoteQuery.folderMethod: .seconds(40)],
                  dropsExpired: order == "fifo"),
                membership: membership, gapResponse: gapResponse, maximumQueries: 4))
          }
        }
      }
    }
    all.append(.test())
    all.append(.test(capacity: Capacity(entities: 0), maximumQueries: 0))
    all.append(.test(capacity: Capacity(entities: 1), maximumQueries: 1))
    return all
  }()

  @Test("What the store calls fresh equals the server, after any program", arguments: 0..<30)
  func convergence(seed: Int) throws {
    for (index, composition) in Self.compositions.enumerated() {
      var program = StoreProgram(seed: UInt64(seed * 1_000 + index))
      try program.run(composition, steps: 120)
    }
  }

  @Test("The same program gives the same actions")
  func determinism() throws {
    let composition = Self.compositions[5]
    var first = StoreProgram(seed: 7)
    var second = StoreProgram(seed: 7)
    let one = try first.run(composition, steps: 300)
    let other = try second.run(composition, steps: 300)
    #expect(one == other)
    #expect(one.eventsApplied > 0)
  }
}

/// One random program: what the server does, what the network does to it, what the user does.
struct StoreProgram {
  private var random: RandomSource
  private var server = NoteServer()
  private var inTransit: [EventEnvelope<Note>] = []
  private var observed: [NoteQuery] = []
  private let queries: [NoteQuery] = [
    .folder(0), .folder(1), .folder(2), .starred(limit: 3), .starred(limit: 100), .opaque, .live,
  ]

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
    for number in 0..<10 { server.write((number, note())) }
  }

  @discardableResult
  mutating func run(_ composition: PolicyComposition, steps: Int) throws -> CacheStatistics {
    var client = try NoteClient(composition)
    for _ in 0..<steps {
      step(&client)
      client.store.checkInvariants()
    }
    settle(&client)
    compare(client, composition)
    return client.store.statistics
  }

  private mutating func note() -> Note {
    Note(
      folder: random.below(3), title: String(UnicodeScalar(UInt8(97 + random.below(6)))),
      isStarred: random.chance(0.4), text: String(repeating: "x", count: random.below(4)))
  }

  private mutating func step(_ client: inout NoteClient) {
    switch random.below(20) {
    case 0...4: mutate()
    case 5...8:
      if !inTransit.isEmpty {
        // Usually in order, sometimes not; sometimes lost, sometimes twice.
        let index = random.chance(0.8) ? 0 : random.below(inTransit.count)
        let envelope = inTransit.remove(at: index)
        if random.chance(0.1) { break }
        client.receive(envelope)
        if random.chance(0.1) { client.receive(envelope) }
      }
    case 9...12: client.read(queries[random.below(queries.count)])
    case 13:
      let query = queries[random.below(queries.count)]
      client.store.addObserver(of: query.key(), at: client.now)
      client.read(query)
      observed.append(query)
    case 14:
      if !observed.isEmpty {
        client.stopObserving(observed.remove(at: random.below(observed.count)))
      }
    case 15: client.wait(.milliseconds(random.below(15_000)))
    case 16:
      let key = EntityKey.note(random.below(14))
      _ = client.store.readEntity(key, library: .test, at: client.now)
      client.collect()
    case 17: disturb(&client)
    default: answerOne(&client)
    }
  }

  private mutating func mutate() {
    switch random.below(12) {
    case 0, 1: inTransit.append(server.delete(.note(random.below(14))))
    case 2, 3:
      let changes = (0..<random.below(5)).map { _ in (EntityKey.note(random.below(14)), note()) }
      inTransit.append(server.write(changes))
    case 4: inTransit.append(server.publish(.infrastructure))
    default: inTransit.append(server.write((random.below(14), note())))
    }
  }

  private mutating func answerOne(_ client: inout NoteClient) {
    if !client.reconciles.isEmpty, random.chance(0.5) {
      let reconcile = client.takeReconcile()
      if random.chance(0.2) {
        client.fail(reconcile.id)
      } else if random.chance(0.1) {
        client.complete(reconcile.id, with: .tooOld(now: server.place.position))
      } else {
        client.complete(reconcile.id, with: server.answer(reconcile.form, after: reconcile.after))
      }
    } else if !client.fetches.isEmpty {
      let fetch = client.takeFetch(at: random.below(client.fetches.count))
      if random.chance(0.15) {
        client.fail(fetch.id)
        return
      }
      // The answer is read now; the world goes on before it arrives.
      let response = server.answer(fetch.target)
      for _ in 0..<random.below(3) {
        mutate()
        if random.chance(0.7), let envelope = inTransit.last {
          inTransit.removeLast()
          client.receive(envelope)
        }
      }
      client.complete(fetch.id, with: response)
    }
  }

  private mutating func disturb(_ client: inout NoteClient) {
    switch random.below(5) {
    case 0: client.store.invalidate(queries[random.below(queries.count)].key(), at: client.now)
    case 1:
      client.store.invalidate(
        InvalidationTag(library: .test, resourceType: NoteSchema.noteType), at: client.now)
    case 2:
      server.restart()
      inTransit = []
    case 3: client.heartbeat(from: server)
    default:
      // A bulk operation: many change, the event does not say which.
      for _ in 0..<3 { server.write((random.below(14), note())) }
      let tag = InvalidationTag(library: .test, resourceType: NoteSchema.noteType)
      inTransit.append(
        server.publish(.bulkNotice(scope: tag, count: 3, token: random.next())))
    }
    client.collect()
  }

  /// Faults end: the server announces its position, and everything in flight is answered.
  private mutating func settle(_ client: inout NoteClient) {
    for _ in 0..<4 {
      client.heartbeat(from: server)
      client.answerAll(from: server)
      client.wait(.seconds(61))
      client.answerAll(from: server)
    }
    client.heartbeat(from: server)
    client.answerAll(from: server)
    client.store.checkInvariants()
  }

  private func compare(_ client: borrowing NoteClient, _ composition: PolicyComposition) {
    #expect(
      client.store.cursor(of: server.stream) == server.place.position || server.log.isEmpty
        || client.store.cursor(of: server.stream) == nil)
    for key in client.store.queriesWithResult where client.store.isFresh(key, at: client.now) {
      let rows = client.store.rows(of: key)?.compactMap { $0 }
      #expect(rows == server.answer(key).entities, "\(composition) \(key)")
    }
    for number in 0..<14 where client.store.isFresh(EntityKey.note(number), at: client.now) {
      #expect(
        client.store.peek(.note(number))?.payload == server.notes[.note(number)]?.payload,
        "\(composition) note \(number)")
    }
  }
}
