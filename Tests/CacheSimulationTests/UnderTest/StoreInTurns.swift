import CacheChecking
import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

/// The store behind the seam that other caches use: what comes of it must be what the simulation gets
/// from the store itself.
final class StoreInTurns: CacheUnderTest {
  private var store: CacheStore<SimulationSchema>
  private let simulation: Simulation
  private var isUp = true
  private var fetches: [(id: Int, fetch: FetchID, target: FetchTarget)] = []
  private var reconciles: [(id: Int, reconcile: ReconcileID)] = []
  private var waiting: [(fetch: FetchID, turn: Int)] = []
  private var lastID = 0
  /// Writes that are sent once, and the parts still to send.
  private var once: [MutationToken] = []
  private var sends: [CacheReply] = []
  /// The types of what the user creates, by the client's numbers.
  private var created: [UInt32: ResourceType] = [:]
  /// The queries of new views, by turn, and the rows that the views of a query show.
  private var views: (queries: [Int: Int], shown: [Int: [ServedRow]]) = ([:], [:])

  init(_ composition: CachePolicy, _ simulation: Simulation) throws(CachePolicyError) {
    self.simulation = simulation
    store = try CacheStore(
      composition: composition, schema: simulation.schema, seed: simulation.workload.seed,
      values: simulation.memory.values, looksAhead: false, wrapping: nil)
  }

  let features: Set<CacheFeature> = [.writes, .parts]

  func end() {}

  func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer {
    var replies: [CacheReply] = []
    let now = turn.at
    switch turn.operation {
    case .read(let query): read(query, turn, &replies)
    case .observe(let query):
      store.addObserver(of: simulation.keys[query], at: now)
      views.queries[turn.number] = query
      read(query, turn, &replies)
    case .unobserve(let query):
      store.removeObserver(of: simulation.keys[query], at: now)
      views.shown[query] = nil
    case .tag(let query): store.tag(simulation.keys[query], true, at: now)
    case .open(let object): open(object, turn, &replies)
    case .event(let event):
      store.receive(
        envelope(event), library: event.position == nil ? simulation.workload.library : nil,
        at: now)
    case .heartbeat(let position): store.receiveHeartbeat(place(position), at: now)
    case .response(let id, let response): take(response, to: id, turn, &replies)
    case .link(let isUp):
      self.isUp = isUp
      if isUp {
        store.setOnline(false, at: now)
        store.setOnline(true, at: now)
      }
    case .write(let write): self.write(write, at: now)
    case .answer(let token, let answer): take(answer, to: token, at: now)
    case .wake: store.advance(to: now)
    }
    replies += sends
    sends = []
    for action in store.takeActions() { replies.append(contentsOf: reply(to: action)) }
    return TurnAnswer(
      replies: withoutRepeats(replies), wake: store.nextDeadline.map { max($0, now) })
  }

  /// The store tells a view of its own answer too.
  private func withoutRepeats(_ replies: [CacheReply]) -> [CacheReply] {
    replies.filter { reply in
      switch reply {
      case .serve(let turn, let rows):
        if let query = views.queries.removeValue(forKey: turn) { views.shown[query] = rows }
        return true
      case .notify(let query, let rows):
        defer { views.shown[query] = rows }
        return views.shown[query] != rows
      default: return true
      }
    }
  }

  // MARK: Reads

  private func read(_ query: Int, _ turn: CacheTurn, _ replies: inout [CacheReply]) {
    let answer = store.read(simulation.keys[query], at: turn.at)
    let rows = rows(of: query)
    let isAtHand = !isUp && answer.outcome != .bypass && rows != nil
    if answer.outcome == .hit || answer.fetch == nil || isAtHand {
      replies.append(.serve(turn: turn.number, rows ?? []))
    } else if let fetch = answer.fetch {
      waiting.append((fetch, turn.number))
    }
  }

  private func open(_ object: UInt32, _ turn: CacheTurn, _ replies: inout [CacheReply]) {
    let key = key(of: object)
    let answer = store.readEntity(key, library: simulation.workload.library, at: turn.at)
    let isAtHand = !isUp && answer.entity.map { !$0.payload.isSummary } ?? false
    if answer.outcome == .hit || answer.fetch == nil || isAtHand {
      replies.append(.serve(turn: turn.number, answer.entity.map { [row($0.payload)] } ?? []))
    } else if let fetch = answer.fetch {
      waiting.append((fetch, turn.number))
    }
  }

  private func row(_ handle: Handle) -> ServedRow {
    SentRow(
      object: handle.object, state: handle.revision, version: .none, isPart: handle.isSummary
    ).served
  }

  /// `nil` where the store has no result, or not every row, or less of one than the query shows.
  private func rows(of query: Int) -> [ServedRow]? {
    guard let rows = store.rows(of: simulation.keys[query]) else { return nil }
    let values = rows.compactMap { simulation.seen.shown($0?.payload, in: query) }
    return values.count == rows.count ? values.map { row($0) } : nil
  }

  // MARK: The user's changes

  private func write(_ write: CacheOperation.Write, at now: Instant) {
    let token = WriteNames.token(of: write.token)
    let mutation = SimulatedMutation(
      token: token, library: simulation.workload.library, edits: write.edits.map { edit($0) })
    do throws(MutationError) {
      if write.isSentOnce {
        try store.begin(mutation, timeout: .seconds(60), at: now)
        once.append(token)
        sends.append(.send(token: Int(write.token)))
      } else {
        try store.enqueue(mutation, at: now)
      }
    } catch {
      Issue.record("\(error)")
    }
  }

  private func edit(_ edit: CacheOperation.Edit) -> SimulatedMutation.Edit {
    switch edit {
    case .change(let number, let state):
      return .update(key(of: number), SimulationSchema.Change(state: state))
    case .create(let number, let state):
      created[number] = simulation.workload.catalog.objects[Int(object(of: state))].type
      return .create(key(of: number), Handle(object: object(of: state), revision: state))
    case .delete(let object): return .delete(key(of: object))
    }
  }

  private func object(of state: UInt32) -> UInt32 {
    simulation.workload.catalog.revisions[Int(state)].object
  }

  /// The key for a number, the client's own too.
  private func key(of number: UInt32) -> EntityKey {
    let objects = simulation.workload.catalog.objects
    if Int(number) < objects.count { return objects[Int(number)] }
    return WriteNames.clientKey(
      of: number - UInt32(objects.count), type: created[number] ?? DataModel.resourceType(ofType: 0)
    )
  }

  private func take(_ answer: CacheOperation.Answer, to token: UInt32, at now: Instant) {
    let name = WriteNames.token(of: token)
    let isOnce = once.contains(name)
    switch answer {
    case .confirmed(let confirmation):
      var response = MutationResponse<Handle>(place: place(confirmation.position))
      response.changed = confirmation.rows.map { entity($0) }
      response.deleted = confirmation.deleted.map { (key(of: $0), confirmation.deletion) }
      for pair in confirmation.keys { response.keys[key(of: pair.client)] = key(of: pair.server) }
      if isOnce {
        store.commit(name, with: response, at: now)
      } else {
        store.completeSend(name, with: response, at: now)
      }
    case .refused:
      if isOnce { _ = store.rollBack(name, at: now) } else { _ = store.rejectSend(name, at: now) }
    case .unreachable:
      if isOnce {
        _ = store.rollBack(name, at: now)
      } else {
        store.failSend(name, at: now)
        if !isUp { store.setOnline(false, at: now) }
      }
    }
  }

  // MARK: The server

  private func reply(to action: CacheAction) -> [CacheReply] {
    lastID += 1
    switch action {
    case .fetch(let fetch, let request):
      fetches.append((lastID, fetch, request.target))
      let since = request.unlessChangedSince?.position
      switch request.target {
      case .query(let key):
        return [.fetch(id: lastID, .query(simulation.queryOfKey[key] ?? -1), since: since)]
      case .entity(let key):
        return [.fetch(id: lastID, .object(simulation.objectOfKey[key] ?? .max), since: since)]
      }
    case .reconcile(let reconcile, _, let position, _):
      reconciles.append((lastID, reconcile))
      return [.reconcile(id: lastID, after: position)]
    case .notify(let key, _):
      guard let query = simulation.queryOfKey[key], let rows = rows(of: query) else { return [] }
      return [.notify(query: query, rows)]
    case .flush: return []
    case .send(let token): return [.send(token: Int(WriteNames.write(of: token)))]
    }
  }

  private func take(
    _ response: CacheOperation.Response, to id: Int, _ turn: CacheTurn,
    _ replies: inout [CacheReply]
  ) {
    if let index = reconciles.firstIndex(where: { $0.id == id }) {
      let reconcile = reconciles.remove(at: index).reconcile
      switch response {
      case .events(let events, let position):
        store.completeReconcile(
          reconcile, with: .events(events.map { envelope($0) }, through: position), at: turn.at)
      case .tooOld(let position):
        store.completeReconcile(reconcile, with: .tooOld(now: position), at: turn.at)
      default: store.failReconcile(reconcile, at: turn.at)
      }
      return
    }
    guard let index = fetches.firstIndex(where: { $0.id == id }) else { return }
    let (_, fetch, target) = fetches.remove(at: index)
    var served: [ServedRow]?
    switch response {
    case .rows(let states, let hasMore, let position):
      let answer = FetchResponse(
        entities: states.map { entity($0) }, hasMore: hasMore, place: place(position))
      if store.completeFetch(fetch, with: answer, at: turn.at) == .askedAgain { return }
      served = store.rows(of: target, answeredBy: answer).map { row($0.payload) }
    case .notModified(let position):
      let answer = FetchResponse<Handle>.notModified(at: place(position))
      if store.completeFetch(fetch, with: answer, at: turn.at) == .askedAgain { return }
      served = store.rows(of: target, answeredBy: answer).map { row($0.payload) }
    default:
      let isRefused = if case .refused = response { true } else { false }
      let ending = store.failFetch(fetch, at: turn.at)
      if !isRefused || ending == .servedExpired, case .query(let key) = target,
        let query = simulation.queryOfKey[key]
      {
        served = rows(of: query)
      }
    }
    for (_, number) in waiting.filter({ $0.fetch == fetch }) {
      replies.append(served.map { .serve(turn: number, $0) } ?? .fail(turn: number))
    }
    waiting.removeAll { $0.fetch == fetch }
  }

  private func place(_ position: StreamPosition) -> EventPlace {
    EventPlace(stream: StreamID(library: simulation.workload.library), position: position)
  }

  private func entity(_ row: SentRow) -> VersionedEntity<Handle> {
    let object = object(of: row.state)
    let whole = Handle(object: object, revision: row.state)
    return VersionedEntity(
      key: simulation.workload.catalog.objects[Int(object)], version: row.version,
      payload: row.isPart ? whole.summary : whole)
  }

  private func envelope(_ event: CacheOperation.Event) -> EventEnvelope<Handle> {
    let objects = simulation.workload.catalog.objects
    let content: CacheEvent<Handle> =
      switch event.content {
      case .changed(let rows):
        rows.count == 1
          ? .changed(entity(rows[0])) : .batchChanged(rows.map { entity($0) })
      case .deleted(let deleted, let version):
        .deleted(deleted.map { objects[Int($0)] }, version: version)
      case .mayHaveChanged(let type, let location):
        .bulkNotice(
          scope: InvalidationTag(
            library: simulation.workload.library, location: location.map { objects[Int($0)].id },
            resourceType: type),
          count: 0, token: event.position?.sequence ?? 0)
      case .nothing: .infrastructure
      }
    var envelope = EventEnvelope(place: event.position.map { place($0) }, event: content)
    envelope.mutation = event.token.map { WriteNames.token(of: $0) }
    for pair in event.keys { envelope.keys[key(of: pair.client)] = key(of: pair.server) }
    return envelope
  }
}

@Suite("The store before the cases of conformance")
struct StoreConformanceTests {
  private static let simulation = Simulation(of: ConformanceWorld.workload)

  /// The result of a case with the store itself behind turns, with answers that are fresh for 300 s.
  private static func result(_ test: ConformanceCase) -> ConformanceResult {
    Conformance().run(test) { launch throws(CacheFault) in
      do throws(CachePolicyError) {
        return try StoreInTurns(
          CachePolicy(
            evictionOrder: "lru", capacity: launch.capacity, retention: .none,
            freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: nil),
          simulation)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }

  @Test(
    "The store itself, put behind turns, passes every case strictly",
    arguments: Conformance.cases(nil).map(\.address))
  func passes(address: String) throws {
    let test = try #require(Conformance.cases(address).first)
    let result = Self.result(test)
    let isAsked = Set(test.needs).isSubset(of: [.writes, .parts])
    let isFigure = address == "time/3" || !isAsked
    #expect(result.verdict == (isFigure ? .info : .pass), "\(address): \(result.findings)")
    #expect(result.turns.isEmpty != isAsked)
  }

  @Test("How long a list is fresh is told as the time since its answer")
  func freshness() throws {
    let result = Self.result(try #require(Conformance.cases("time/3").first))
    let came = try #require(result.findings.first?.came)
    #expect(came.hasPrefix("at 300 s after its answer, at 120 s not yet"), "\(came)")
  }
}
