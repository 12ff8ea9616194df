import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

/// One random program: what the servers do, what the network does to it, what the user does.
struct StoreProgram {
  let seed: UInt64
  var random: RandomSource
  var world = NoteWorld()
  var answers = RememberedAnswers()
  var inTransit: [EventEnvelope<Note>] = []
  /// What the user of this client changes.
  var changes = LocalChanges()
  var observed: [QueryKey] = []
  private let queries: [QueryKey] = [LibraryID.test, .other].flatMap { library in
    [
      NoteQuery.folder(0), .folder(1), .folder(2), .starred(limit: 3), .starred(limit: 100),
      .opaque, .live,
    ].map { $0.key(in: library) }
  }

  init(seed: UInt64) {
    self.seed = seed
    random = RandomSource(seed: seed)
    for server in world.servers.indices {
      for number in NoteWorld.numbers(of: server) where random.chance(0.7) {
        world.servers[server].write((number, note()))
      }
    }
  }

  /// How often a server said that nothing has changed.
  var confirmations: Int { answers.confirmations }

  @discardableResult
  mutating func run(_ composition: PolicyComposition, steps: Int) throws -> CacheStatistics {
    var client = try NoteClient(composition)
    for _ in 0..<steps {
      step(&client)
      client.store.checkInvariants()
    }
    settle(&client)
    if composition.promisesConvergence { compare(client, composition) }
    return client.store.statistics
  }

  // MARK: What happens

  mutating func step(_ client: inout NoteClient) {
    switch random.below(24) {
    case 20...23: changeHere(&client)
    case 0...4: mutate(&client)
    case 5...8: deliver(&client)
    case 9...11: use(&client)
    case 12: client.read(anyQuery())
    case 13:
      let query = anyQuery()
      client.store.addObserver(of: query, at: client.now)
      client.read(query)
      observed.append(query)
    case 14:
      if !observed.isEmpty {
        let query = observed.remove(at: random.below(observed.count))
        client.store.removeObserver(of: query, at: client.now)
      }
    case 15: client.wait(.milliseconds(random.below(15_000)))
    case 16: disturb(&client)
    default: answerOne(&client)
    }
    client.collect()
  }

  /// Usually in order, sometimes not; sometimes lost, sometimes twice.
  private mutating func deliver(_ client: inout NoteClient) {
    guard !inTransit.isEmpty else { return }
    let envelope = inTransit.remove(at: random.chance(0.8) ? 0 : random.below(inTransit.count))
    if random.chance(0.1) { return }
    client.receive(envelope)
    if random.chance(0.1) { client.receive(envelope) }
  }

  private mutating func use(_ client: inout NoteClient) {
    if random.chance(0.7) {
      client.read(anyQuery())
    } else {
      let key = anyNote(of: anyServer())
      _ = client.store.readEntity(key, library: NoteWorld.library(of: key), at: client.now)
    }
  }

  private mutating func mutate(_ client: inout NoteClient) {
    let server = anyServer()
    let envelope: EventEnvelope<Note>
    switch random.below(12) {
    case 0, 1: envelope = world.servers[server].delete(anyNote(of: server))
    case 2, 3:
      let changes = (0..<random.below(5)).map { _ in (anyNote(of: server), note()) }
      envelope = world.servers[server].write(changes)
    case 4: envelope = world.servers[server].publish(.infrastructure)
    case 5: envelope = undecodable(of: server)
    default: envelope = world.servers[server].write([(anyNote(of: server), note())])
    }
    inTransit.append(envelope)
    guard random.chance(0.1) else { return }
    // A second channel tells of it at once, without a place, and perhaps without a library.
    let library = random.chance(0.5) ? world.servers[server].stream.library : nil
    client.store.receive(
      EventEnvelope(place: nil, event: envelope.event), library: library, at: client.now)
  }

  /// A change whose event cannot be decoded, beside one whose event can.
  private mutating func undecodable(of server: Int) -> EventEnvelope<Note> {
    let (key, other) = (anyNote(of: server), anyNote(of: server))
    var items: [VersionedEntity<Note>] = []
    if other != key, case .changed(let item) = world.servers[server].apply((other, note())) {
      items.append(item)
    }
    var id: UniqueID?
    if var known = world.servers[server].notes[key]?.payload, random.chance(0.7) {
      // It stays where it is: lists that hold it are all that it costs.
      known.text += "yy"
      _ = world.servers[server].apply((key, known))
      id = key.id
    } else {
      _ = world.servers[server].apply((key, note()))
    }
    return world.servers[server].publish(
      .partlyDecoded(items, undecodable: [UndecodableItem(type: key.type, id: id)]))
  }

  private mutating func answerOne(_ client: inout NoteClient) {
    if !client.reconciles.isEmpty, random.chance(0.5) {
      let reconcile = client.takeReconcile()
      switch random.below(10) {
      case 0, 1: client.fail(reconcile.id)
      case 2:
        let server = world.servers.first { $0.stream == reconcile.stream } ?? world.servers[0]
        client.complete(reconcile.id, with: .tooOld(now: server.place.position))
      default: client.complete(reconcile.id, with: world.answer(reconcile))
      }
    } else if !client.fetches.isEmpty {
      let fetch = client.takeFetch(at: random.below(client.fetches.count))
      guard random.chance(0.85) else {
        client.fail(fetch.id)
        return
      }
      // The answer is read now; the world goes on before it arrives.
      let response = answers.answer(fetch.target, fetch.unlessChangedSince, in: world)
      for _ in 0..<random.below(3) {
        mutate(&client)
        if random.chance(0.7), let envelope = inTransit.popLast() { client.receive(envelope) }
        if random.chance(0.1) { disturb(&client) }
        if random.chance(0.2) { use(&client) }
      }
      client.complete(fetch.id, with: response)
    }
  }

  private mutating func disturb(_ client: inout NoteClient) {
    let server = anyServer()
    let library = world.servers[server].stream.library
    switch random.below(5) {
    case 0: client.store.invalidate(anyQuery(), at: client.now)
    case 1:
      client.store.invalidate(
        InvalidationTag(library: library, resourceType: NoteSchema.noteType), at: client.now)
    case 2:
      world.servers[server].restart()
      let stream = world.servers[server].stream
      inTransit.removeAll { $0.place?.stream == stream }
    case 3: client.heartbeat(from: world.servers[server])
    default:
      // A bulk operation: many change, the event does not say which.
      for _ in 0..<3 { world.servers[server].write([(anyNote(of: server), note())]) }
      let tag = InvalidationTag(library: library, resourceType: NoteSchema.noteType)
      inTransit.append(
        world.servers[server].publish(.bulkNotice(scope: tag, count: 3, token: random.next())))
    }
    client.collect()
  }

  // MARK: Draws

  mutating func note() -> Note {
    Note(
      folder: random.below(3), title: String(UnicodeScalar(UInt8(97 + random.below(6)))),
      isStarred: random.chance(0.4), text: String(repeating: "x", count: random.below(4)))
  }

  private mutating func anyQuery() -> QueryKey { queries[random.below(queries.count)] }

  private mutating func anyServer() -> Int { random.below(world.servers.count) }

  mutating func anyNote(of server: Int) -> EntityKey {
    let numbers = NoteWorld.numbers(of: server)
    return .note(numbers.lowerBound + random.below(numbers.count))
  }

  // MARK: The end

  /// Faults end: the servers announce their positions, and everything in flight is answered.
  mutating func settle(_ client: inout NoteClient) {
    settleChanges(&client)
    for _ in 0..<4 {
      for server in world.servers { client.heartbeat(from: server) }
      answerAll(&client)
      client.wait(.seconds(61))
      answerAll(&client)
    }
    for server in world.servers { client.heartbeat(from: server) }
    answerAll(&client)
    client.store.checkInvariants()
  }

  private mutating func answerAll(_ client: inout NoteClient) {
    client.collect()
    var count = 0
    while !client.fetches.isEmpty || !client.reconciles.isEmpty {
      count += 1
      if count > 1_000 {
        Issue.record("seed \(seed): fetches without end")
        return
      }
      if !client.reconciles.isEmpty {
        let reconcile = client.takeReconcile()
        client.complete(reconcile.id, with: world.answer(reconcile))
      } else {
        let fetch = client.takeFetch()
        client.complete(
          fetch.id, with: answers.answer(fetch.target, fetch.unlessChangedSince, in: world))
      }
    }
  }

  func compare(_ client: borrowing NoteClient, _ composition: PolicyComposition) {
    for server in world.servers {
      let cursor = client.store.cursor(of: server.stream)
      #expect(cursor == server.place.position, "seed \(seed) \(composition)")
    }
    for key in client.store.queriesWithResult where client.store.isFresh(key, at: client.now) {
      let rows = client.store.rows(of: key)?.compactMap { $0 }
      let truth = world.answer(.query(key)).entities
      #expect(rows == truth, "seed \(seed) \(composition) \(NoteQuery(key))")
    }
    client.store.forEachResident { key, payload in
      guard client.store.isFresh(key, at: client.now) else { return }
      #expect(payload == world.note(key), "seed \(seed) \(composition) note \(key.id.low)")
    }
    for key in observed {
      #expect(
        client.store.queriesWithResult.contains(key) == true,
        "seed \(seed) \(composition): observed \(NoteQuery(key)) has no result")
    }
  }
}
