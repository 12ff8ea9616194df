package import CacheModel
import EvictionPolicies
package import FaultSearch
package import NormalizedCache
package import Testing

/// A store with a hand-driven shell: its requests wait until the test performs them.
package struct NoteClient: ~Copyable {
  package var store: CacheStore<NoteSchema>
  package var now = Instant.zero
  /// Fetches in flight, with the answer that the server gave when it was asked.
  package private(set) var fetches:
    [(id: FetchID, target: FetchTarget, unlessChangedSince: EventPlace?)] = []
  package private(set) var reconciles:
    [(id: ReconcileID, after: StreamPosition, form: ReconcileForm)] = []
  package private(set) var notified: [QueryKey] = []
  /// Queued mutations to be sent, in the order in which the store asked.
  package internal(set) var sends: [MutationToken] = []
  /// Whether the store asked for its changes to be taken.
  package var isFlushAsked = false

  package init(
    _ composition: CachePolicy = .test(), schema: NoteSchema = NoteSchema()
  ) throws {
    store = try CacheStore(composition: composition, schema: schema)
  }

  /// With more entries than this, invariants are checked only when a test asks, since that is O(n).
  private static let smallStore = 256

  /// Collects the store's actions, and checks the store's invariants.
  package mutating func collect() {
    for action in store.takeActions() {
      switch action {
      case .fetch(let id, let request):
        fetches.append((id, request.target, request.unlessChangedSince))
      case .reconcile(let id, _, let after, let form):
        reconciles.append((id, after, form))
      case .notify(let key, _): notified.append(key)
      case .send(let token): sends.append(token)
      case .flush: isFlushAsked = true
      }
    }
    if store.cachedQueries + store.residentEntities <= Self.smallStore { store.checkInvariants() }
  }

  package mutating func takeNotified() -> [QueryKey] {
    collect()
    defer { notified = [] }
    return notified
  }

  @discardableResult
  package mutating func read(_ query: NoteQuery) -> ReadOutcome {
    read(query.key())
  }

  @discardableResult
  package mutating func read(_ key: QueryKey) -> ReadOutcome {
    let read = store.read(key, at: now)
    collect()
    return read.outcome
  }

  package mutating func observe(_ query: NoteQuery, from server: NoteServer) {
    store.addObserver(of: query.key(), at: now)
    read(query)
    answerAll(from: server)
  }

  package mutating func stopObserving(_ query: NoteQuery) {
    store.removeObserver(of: query.key(), at: now)
    collect()
  }

  package mutating func receive(_ envelope: EventEnvelope<Note>) {
    store.receive(envelope, at: now)
    collect()
  }

  /// Writes outside any stream.
  package mutating func write(_ number: Int, _ note: Note, clock: UInt64, device: UInt64 = 1) {
    let version = Version(clock: clock, device: device)
    store.write(
      VersionedEntity(key: .note(number), version: version, payload: note), library: .test, at: now)
    collect()
  }

  package mutating func delete(_ number: Int, clock: UInt64) {
    store.delete(
      .note(number), version: Version(clock: clock, device: 1), library: .test, at: now)
    collect()
  }

  /// The numbers of resident notes, in ascending order.
  package var residents: [Int] {
    var numbers: [Int] = []
    store.forEachResident { key, _ in numbers.append(Int(key.id.low)) }
    return numbers.sorted()
  }

  package mutating func heartbeat(from server: NoteServer) {
    store.receiveHeartbeat(server.place, at: now)
    collect()
  }

  package mutating func wait(_ duration: Duration) {
    now = now.advanced(by: duration)
    store.advance(to: now)
    collect()
  }

  /// Takes the oldest fetch in flight, for the test to answer later.
  package mutating func takeFetch(
    at index: Int = 0
  ) -> (id: FetchID, target: FetchTarget, unlessChangedSince: EventPlace?) {
    fetches.remove(at: index)
  }

  package mutating func takeReconcile() -> (
    id: ReconcileID, after: StreamPosition, form: ReconcileForm
  ) {
    reconciles.removeFirst()
  }

  @discardableResult
  package mutating func complete(
    _ id: FetchID, with response: FetchResponse<Note>
  ) -> FetchEnding {
    defer { collect() }
    return store.completeFetch(id, with: response, at: now)
  }

  @discardableResult
  package mutating func fail(_ id: FetchID) -> FetchEnding {
    defer { collect() }
    return store.failFetch(id, at: now)
  }

  package mutating func complete(_ id: ReconcileID, with response: ReconcileResponse<Note>) {
    store.completeReconcile(id, with: response, at: now)
    collect()
  }

  package mutating func fail(_ id: ReconcileID) {
    store.failReconcile(id, at: now)
    collect()
  }

  /// Answers everything in flight until nothing is.
  package mutating func answerAll(from server: NoteServer) {
    collect()
    while !fetches.isEmpty || !reconciles.isEmpty {
      if !reconciles.isEmpty {
        let reconcile = takeReconcile()
        complete(reconcile.id, with: server.answer(reconcile.form, after: reconcile.after))
      } else {
        let fetch = takeFetch()
        complete(fetch.id, with: server.answer(fetch.target))
      }
    }
  }

  /// Reads the query, and lets the server answer if necessary; returns the rows' numbers.
  package mutating func load(_ query: NoteQuery, from server: NoteServer) -> [Int] {
    read(query)
    answerAll(from: server)
    return rows(of: query)
  }

  /// Whether the cache believes that it holds the truth about a query.
  package func isFresh(_ query: NoteQuery) -> Bool {
    store.isFresh(query.key(), at: now)
  }

  /// Whether the cache believes that it holds the truth about an entity.
  package func isFresh(_ key: EntityKey) -> Bool {
    store.isFresh(key, at: now)
  }

  /// The numbers of the query's resident rows, in order.
  package func rows(of query: NoteQuery) -> [Int] {
    (store.rows(of: query.key()) ?? []).compactMap { $0.map { Int($0.key.id.low) } }
  }
}

extension NoteServer {
  /// A server that has written notes, and sent one event about them.
  package init(writing note: (number: Int, note: Note), _ more: (number: Int, note: Note)...) {
    self.init(library: .test)
    write(([note] + more).map { (.note($0.number), $0.note) })
  }
}

extension CacheStore {
  /// Records an issue unless every count can be derived from the lists; O(everything).
  ///
  /// A trap would end the run, and every other test with it.
  package func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
    if let failure = invariantFailure() {
      Issue.record("\(failure)", sourceLocation: sourceLocation)
    } else {
      checkOrder()
    }
  }
}

extension CachePolicy {
  /// The names of every eviction order that a cache can use.
  package static let evictionOrders: [String] = EvictionPolicies.forCaches.map(\.name)
  /// Those under which a cache keeps to its limits.
  package static let boundedOrders: [String] =
    EvictionPolicies.forCaches.filter(\.isBounded).map(\.name)
  /// The names of every admission.
  package static let admissions: [String] = AdmissionPolicies.all.map(\.name)

  /// A composition for tests: everything is kept unless the test says otherwise.
  package static func test(
    evictionOrder: String = "lru", admission: String = "always",
    capacity: Capacity = .unlimited, retention: Retention = .none,
    releaseBuffer: ReleaseBuffer? = nil, freshness: Freshness = .neverExpires,
    eventAdmission: EventAdmission = .writeAllocate, membership: Membership = .patch,
    gapResponse: GapResponse = .replay, coalescingWindow: Duration = .zero,
    maximumQueries: Int? = nil
  ) -> CachePolicy {
    CachePolicy(
      evictionOrder: evictionOrder, admission: admission, capacity: capacity, retention: retention,
      releaseBuffer: releaseBuffer, freshness: freshness, eventAdmission: eventAdmission,
      membership: membership, gapResponse: gapResponse, reorderWindow: .milliseconds(200),
      coalescingWindow: coalescingWindow, maximumQueries: maximumQueries)
  }
}

extension ClientMutation where Payload == Note, Change == NoteChange {
  package init(_ number: Int, _ edits: Edit...) {
    self.init(token: .mutation(number), library: .test, edits: edits)
  }
}

/// The user's side of mutations.
extension NoteClient {
  package mutating func begin(_ mutation: NoteMutation, timeout: Duration? = nil) throws {
    try store.begin(mutation, timeout: timeout, at: now)
    collect()
  }

  package mutating func commit(_ number: Int, _ response: MutationResponse<Note>) {
    store.commit(.mutation(number), with: response, at: now)
    collect()
  }

  @discardableResult
  package mutating func rollBack(_ number: Int) -> Bool {
    defer { collect() }
    return store.rollBack(.mutation(number), at: now)
  }

  package mutating func enqueue(_ mutation: NoteMutation) throws {
    try store.enqueue(mutation, at: now)
    collect()
  }

  package mutating func setOnline(_ isOnline: Bool) {
    store.setOnline(isOnline, at: now)
    collect()
  }

  /// Takes the oldest send in flight.
  package mutating func takeSend() -> NoteMutation? {
    guard !sends.isEmpty else { return nil }
    return store.pendingMutation(sends.removeFirst())
  }

  package mutating func complete(_ token: MutationToken, with response: MutationResponse<Note>) {
    store.completeSend(token, with: response, at: now)
    collect()
  }

  @discardableResult
  package mutating func reject(_ token: MutationToken) -> [MutationToken] {
    defer { collect() }
    return store.rejectSend(token, at: now)
  }

  package mutating func fail(_ token: MutationToken) {
    store.failSend(token, at: now)
    collect()
  }

  /// The titles of the query's resident rows, in order.
  package func titles(of query: NoteQuery) -> String {
    (store.rows(of: query.key()) ?? []).map { $0?.payload.title ?? "-" }.joined()
  }
}
