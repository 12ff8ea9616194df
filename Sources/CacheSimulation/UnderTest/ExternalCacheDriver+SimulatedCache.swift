package import CacheModel
import Containers
import NormalizedCacheCore
import Workloads

/// How reads are sent, and answered.
extension ExternalCacheDriver {
  mutating func read(_ key: QueryKey, at now: Instant, isRepeated: Bool) -> QueryRead {
    guard let query = input.queryOfKey[key] else { return QueryRead(outcome: .missCold) }
    let isFirst = shown[query] == nil
    let isCacheable = input.workload.model.isCacheable(input.workload.queries[query])
    let isObserved = begins[query]
    let before = requests.count
    begins[query] = false
    let ticket = ask(.query(query), isObserved ? .observe(query) : .read(query), at: now)
    guard let ticket else { return QueryRead(outcome: .hit) }
    return QueryRead(
      outcome: outcome(
        of: .query(query), isFirst: isFirst, isCacheable: isCacheable, requestsBefore: before),
      fetch: ticket)
  }

  mutating func readEntity(
    _ key: EntityKey, library: LibraryID, at now: Instant
  ) -> EntityRead<Handle> {
    guard let object = number(of: key) else { return EntityRead(outcome: .missCold) }
    let isFirst = served[object] == nil
    let before = requests.count
    let ticket = ask(.object(object), .open(object), at: now)
    let entity = served[object].map { handle in
      VersionedEntity(
        key: key, version: input.workload.catalog.revisions[Int(handle.revision)].version,
        payload: handle)
    }
    guard let ticket else { return EntityRead(outcome: .hit, entity: entity) }
    return EntityRead(
      outcome: outcome(
        of: .object(object), isFirst: isFirst, isCacheable: true, requestsBefore: before),
      fetch: ticket)
  }

  /// Sends a read.
  ///
  /// - Returns: what to wait for; `nil` if it was served in its own turn.
  mutating func ask(
    _ target: CacheReply.Target, _ operation: CacheOperation, at now: Instant
  ) -> FetchID? {
    var read = UnansweredRead(turn: turn + 1, target: target, since: now)
    read.isAsked = requests.contains { measured == nil || $0.target == target }
    unanswered.append(read)
    take(operation, at: now)
    guard let index = answered.firstIndex(where: { $0.ticket == read.ticket && $0.isServed })
    else { return read.ticket }
    answered.remove(at: index)
    return nil
  }

  /// Returns why a read was not served, as far as this is visible from outside.
  ///
  /// A read without a request waits for requests in flight. If the cache once served the result, it is
  /// unknown whether that was evicted, has expired, or was marked stale: it counts as evicted.
  func outcome(
    of target: CacheReply.Target, isFirst: Bool, isCacheable: Bool, requestsBefore: Int
  ) -> ReadOutcome {
    if !isCacheable { return .bypass }
    let asksNow = requests[requestsBefore...].contains { $0.target == target }
    if !asksNow, requests.contains(where: { $0.target == target }) { return .coalesced }
    return isFirst ? .missCold : .missEvicted
  }

  mutating func takeAnswered() -> [AnsweredRead] {
    defer { answered.removeAll(keepingCapacity: true) }
    return answered
  }

  mutating func giveUpReads() {
    answered += unanswered.map { AnsweredRead(ticket: $0.ticket, isServed: false) }
    unanswered = []
  }
}

/// The operations on a cache other than reads.
extension ExternalCacheDriver {
  // MARK: Views

  mutating func addObserver(of key: QueryKey, at now: Instant) {
    guard let query = input.queryOfKey[key] else { return }
    observers[query] += 1
    begins[query] = true
  }

  mutating func removeObserver(of key: QueryKey, at now: Instant) {
    guard let query = input.queryOfKey[key], observers[query] > 0 else { return }
    observers[query] -= 1
    if observers[query] == 0 { take(.unobserve(query), at: now) }
  }

  mutating func tag(_ key: QueryKey, _ isTagged: Bool, at now: Instant) {
    if isTagged, let query = input.queryOfKey[key] { take(.tag(query), at: now) }
  }

  // MARK: The server

  mutating func tellLink(isUp: Bool, at now: Instant) {
    guard isUp != isLinkUp else { return }
    isLinkUp = isUp
    take(.link(isUp: isUp), at: now)
  }

  mutating func receive(
    _ envelope: consuming EventEnvelope<Handle>, library: LibraryID?, at now: Instant
  ) {
    take(.event(noting(envelope)), at: now)
  }

  mutating func receiveHeartbeat(_ place: EventEnvelope<Handle>.Place, at now: Instant) {
    take(.heartbeat(place.position), at: now)
  }

  mutating func noting(_ envelope: EventEnvelope<Handle>) -> CacheOperation.Event {
    let content: CacheOperation.Event.Content
    switch envelope.event {
    case .changed(let entity): content = .changed([send(entity)])
    case .batchChanged(let items): content = .changed(items.map { send($0) })
    case .partlyDecoded(let items, let missing):
      // The protocol's only form for changes without values names a type.
      let types = missing.map(\.type).reduce(into: [ResourceType]()) { types, type in
        if !types.contains(type) { types.append(type) }
      }
      content =
        types.isEmpty
        ? .changed(items.map { send($0) })
        : .mayHaveChanged(types.count == 1 ? types[0] : nil, location: nil)
    case .deleted(let keys, let version):
      content = .deleted(keys.compactMap { input.objectOfKey[$0] }, version)
    case .bulkNotice(let tag, _, _):
      content = .mayHaveChanged(
        tag.resourceType,
        location: tag.location.flatMap { location in
          input.workload.catalog.objects.firstIndex { $0.id == location }.map { UInt32($0) }
        })
    case .infrastructure: content = .nothing
    }
    var event = CacheOperation.Event(position: envelope.place?.position, content: content)
    event.token = ownToken(of: envelope)
    if event.token != nil { event.keys = numbers(of: envelope.keys) }
    if let lists = outliving.lists, let position = event.position {
      var objects: Set<UInt32> = []
      if case .changed(let rows) = content {
        objects = Set(rows.map { input.workload.catalog.revisions[Int($0.state)].object })
      }
      event.lists = lists.changes(at: position, with: objects, input)
    }
    return event
  }

  mutating func send(_ entity: VersionedEntity<Handle>) -> SentRow {
    let row = SentRow(
      object: entity.payload.object, state: entity.payload.revision, version: entity.version,
      isPart: entity.payload.isSummary)
    sent.insert(row.state, isPart: row.isPart)
    return row
  }

  mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Handle>, at now: Instant
  ) -> FetchEnding {
    let position = response.place?.position ?? StreamPosition(epoch: 0, sequence: 0)
    let rows = response.entities.map { send($0) }
    end(
      Int(id.number),
      response.isNotModified
        ? .notModified(position) : .rows(rows, hasMore: response.hasMore, position), at: now)
    return .answered
  }

  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding {
    end(Int(id.number), isRefused ? .refused : .unreachable, at: now)
    return .failed
  }

  mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Handle>, at now: Instant
  ) {
    switch response {
    case .events(let events, let position):
      end(Int(id.number), .events(events.map { noting($0) }, through: position), at: now)
    case .outline(_, let position), .tooOld(let position):
      end(Int(id.number), .tooOld(position), at: now)
    }
  }

  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant) {
    end(Int(id.number), isRefused ? .refused : .unreachable, at: now)
  }

  mutating func end(_ id: Int, _ response: CacheOperation.Response, at now: Instant) {
    requests.removeAll { $0.id == id }
    take(.response(id, response), at: now)
  }

  // MARK: Time

  var nextDeadline: Instant? {
    guard fault == nil else { return nil }
    let patience = unanswered.first.map { $0.since.advanced(by: Self.patience) }
    return [wake, patience].compactMap { $0 }.min()
  }

  var nextDeadlineBesidesPolls: Instant? { nextDeadline }

  package mutating func advance(to now: Instant) {
    while let read = unanswered.first, read.since.advanced(by: Self.patience) <= now {
      unanswered.removeFirst()
      givenUp[read.turn] = read.target
      answered.append(AnsweredRead(ticket: read.ticket, isServed: false))
    }
    guard let due = wake, due <= now else { return }
    wake(at: now)
  }

  mutating func wake(at now: Instant) {
    wakes = wakes.at == now ? (now, wakes.count + 1) : (now, 1)
    guard wakes.count <= Self.mostWakes else {
      fault = CacheFault(.wakesForEver, turn: turn, at: now)
      return
    }
    take(.wake, at: now)
  }

  mutating func takeActions(into taken: inout [CacheAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }

  package func end() {
    cache.end()
    guard outliving.isStoring else { return }
    (outliving.sent, outliving.created, outliving.told) = (sent, created, told)
    outliving.writes += writes.filter { !$0.isSentOnce }
  }
}

/// The shown rows; its other contents are unknown.
extension ExternalCacheDriver {
  static var isKnownFromOutside: Bool { true }
  var takesEvents: Bool { measured?.takesEvents ?? true }
  var use: CacheUse? { measured?.use }

  func members(of key: QueryKey) -> [Slot]? { input.queryOfKey[key].flatMap { shown[$0] } }

  func rows(of key: QueryKey) -> [VersionedEntity<Handle>?]? {
    members(of: key)?.map { slot in
      VersionedEntity(
        key: self.key(of: slot), version: version(of: slot), payload: handle(of: slot))
    }
  }

  func payload(of slot: Slot) -> Handle? { handle(of: slot) }

  func key(of slot: Slot) -> EntityKey { input.workload.catalog.objects[Int(object(of: slot))] }

  func version(of slot: Slot) -> Version {
    input.workload.catalog.revisions[SentStates.state(of: slot)].version
  }

  /// Only rows on screen are known to count as fresh.
  var queriesWithResult: [QueryKey] {
    observers.indices.filter { observers[$0] > 0 && shown[$0] != nil }.map { input.keys[$0] }
  }

  func isFresh(_ key: QueryKey, at now: Instant) -> Bool {
    input.queryOfKey[key].map { observers[$0] > 0 } ?? false
  }

  func fetch(of target: FetchTarget) -> FetchID? { nil }
}

/// Operations that a black-box cache does not have.
///
/// ``Simulation/run(cache:_:)`` gives it no storage.
extension ExternalCacheDriver {
  private var unasked: Never {
    preconditionFailure("a cache in turns has no storage of the simulation's")
  }

  mutating func persist(_ settings: WriteBehind, at now: Instant) { unasked }
  mutating func restore(
    _ stored: StoredState<Handle, SimulatedMutation>, wallClock: Instant, at now: Instant
  ) -> RestoreReport { unasked }
  mutating func takeBatch(
    wallClock: Instant, at now: Instant
  ) -> StorageBatch<Handle, SimulatedMutation>? { nil }
  mutating func completeFlush(_ number: UInt64, at now: Instant) { unasked }
  mutating func failFlush(_ number: UInt64, _ error: StorageError, at now: Instant) { unasked }

  // Operations of an app on its own cache, as recorded: the protocol does not have them.

  mutating func invalidate(_ key: QueryKey, at now: Instant) {
    if let query = input.queryOfKey[key] { measured?.refresh(query) }
  }
  mutating func take(_ key: QueryKey, from longer: QueryKey, at now: Instant) {}
  mutating func clear(_ library: LibraryID, at now: Instant) {}
  mutating func releaseMemory(toFraction share: Double, at now: Instant) {}

  func confirmedEntity(_ key: EntityKey) -> VersionedEntity<Handle>? { nil }
  func isFresh(_ key: EntityKey, at now: Instant) -> Bool { false }
  func forEachResident(_ body: (EntityKey, Handle) -> Void) {}
  func cursor(of stream: StreamID) -> StreamPosition? { nil }
  var statistics: CacheStatistics { CacheStatistics() }
  var residentEntities: Int { 0 }
  var residentWeight: Int { 0 }
  var fullestLimit: LimitShare? {
    measured?.use.limitShare == nil ? nil : LimitShare(peak.limitShare, of: nil)
  }
  func peakShare(of capacity: Capacity, maximumQueries: Int?) -> LimitShare? { nil }
  func predictedBytes(_ memory: PredictedMemory) -> Int? {
    measured == nil ? cache.predictedBytes : peak.memoryBytes
  }
}
