public import CacheModel
public import Containers

/// Receives all operations of a cache in the order in which its store does, for a recording whose simulation
/// gives the same results.
///
/// Called on the cache's actor, so it must not block.
@usableFromInline package protocol CacheRecorder: AnyObject, Sendable {
  /// Records an operation.
  ///
  /// - Returns: whether the recorder begins again, and needs the contents of the cache.
  func note(_ operation: RecordedOperation, at now: Instant) -> Bool

  /// Records an event about one entity: by far the most frequent operation.
  ///
  /// - Returns: as ``note(_:at:)``.
  func noteChange(of row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Bool

  /// Records the list positions that the schema has computed for states that arrived since.
  ///
  /// - Returns: as ``note(_:at:)``.
  func note(_ places: [RecordedPosition]) -> Bool
}

/// An operation of a cache, without the values.
@usableFromInline package enum RecordedOperation: Sendable {
  case read(FetchTarget, ReadOutcome, isView: Bool, [RecordedRow]?)
  /// The app fetches again by itself, or prefetches.
  case askedAgain(QueryKey)
  /// A view was left, with the rows that it showed last.
  case viewEnded(QueryKey, [RecordedRow]?)
  case tagged(QueryKey, Bool)
  case fetchBegan(FetchID, FetchTarget)
  case fetchEnded(FetchID, FetchTarget, RecordedResponse?)
  case event(RecordedEvent)
  case heartbeat(EventPlace)
  case invalidated(InvalidationTag)
  case invalidatedQuery(QueryKey)
  case cleared(LibraryID)
  /// A query was answered with the first rows of a longer one.
  case taken(QueryKey, from: QueryKey, [RecordedRow]?)
  case released(toFraction: Double)
  /// The list positions that the schema computed for states that arrived since.
  case placed([RecordedPosition])
  /// An operation that a recording cannot express.
  case other
  /// The contents of the cache at this moment: the number of queries that follow.
  case holds(queries: Int)
  case held(QueryKey, views: Int, [RecordedRow])
}

@usableFromInline package struct RecordedResponse: Sendable {
  @usableFromInline package var rows: [RecordedRow]
  @usableFromInline package var hasMore: Bool
  @usableFromInline package var isNotModified: Bool
  @usableFromInline package var place: EventPlace?

  @inlinable init(rows: [RecordedRow], hasMore: Bool, isNotModified: Bool, place: EventPlace?) {
    self.rows = rows
    self.hasMore = hasMore
    self.isNotModified = isNotModified
    self.place = place
  }
}

@usableFromInline package struct RecordedEvent: Sendable {
  @usableFromInline package var place: EventPlace?
  /// Whether it is the server's answer to a write whose event is still to come.
  @usableFromInline package var isAnswer = false
  @usableFromInline package var kind: Kind

  @usableFromInline package enum Kind: Sendable {
    case changed(RecordedRow)
    case batch([RecordedRow], EventOrigin?)
    case deleted([EntityKey], Version)
    case bulkNotice(InvalidationTag, token: UInt64)
    case infrastructure
  }

  @inlinable package init(place: EventPlace?, isAnswer: Bool = false, kind: Kind) {
    self.place = place
    self.isAnswer = isAnswer
    self.kind = kind
  }
}

/// Calls of the recorder, if there is one.
extension NormalizedCache {
  /// The schema by which keys are interpreted.
  package var schema: Schema { store.schema }

  /// Sends the recorder the contents of the cache, and then every operation.
  package func beginRecording(by recorder: any CacheRecorder) {
    self.recorder = recorder
    noteWhoFollows()
    store.recordedOrders.isOn = true
    store.recordedOrders.positions = []
    recordHoldings()
  }

  /// Sends the recorder the final state of open views, and then nothing more.
  package func endRecording() {
    guard recorder != nil else { return }
    // In a fixed order, unlike that of a dictionary.
    for key in store.queriesWithResult {
      for _ in 0..<observers.count(of: key) { recordEndOfView(of: key) }
    }
    recorder = nil
    store.recordedOrders.isOn = false
    noteWhoFollows()
  }

  @inlinable func record(_ operation: RecordedOperation, at now: Instant? = nil) {
    guard let recorder else { return }
    if recorder.note(operation, at: now ?? clock.now) { recordHoldings() }
  }

  /// Sends the recorder the list positions that the schema computed in a commit.
  @usableFromInline func flushRecordedPositions() {
    // The array is reused, so that the next commit allocates nothing.
    let beginsAnew = recorder?.note(store.recordedOrders.positions) ?? false
    store.recordedOrders.positions.removeAll(keepingCapacity: true)
    if beginsAnew { recordHoldings() }
  }

  @usableFromInline func recordHoldings() {
    guard let recorder else { return }
    store.recordedOrders.sentAfter = []
    let held = store.queriesWithResult.filter { store.isFresh($0, at: clock.now) }
    _ = recorder.note(.holds(queries: held.count), at: clock.now)
    for key in held {
      let views = observers.count(of: key)
      _ = recorder.note(.held(key, views: views, store.rowsToRecord(of: key) ?? []), at: clock.now)
    }
  }

  @inlinable func recordRead(
    of target: FetchTarget, _ outcome: ReadOutcome, isView: Bool, at now: Instant
  ) {
    guard recorder != nil else { return }
    var rows: [RecordedRow]?
    if outcome == .hit {
      switch target {
      case .query(let key): rows = store.rowsToRecord(of: key)
      case .entity(let key):
        rows = store.confirmedEntity(key).map { [row($0)] }
      }
    }
    record(.read(target, outcome, isView: isView, rows), at: now)
  }

  @inlinable func recordTaking(of key: QueryKey, from longer: QueryKey) {
    guard recorder != nil else { return }
    record(.taken(key, from: longer, store.rowsToRecord(of: key)))
  }

  @inlinable func recordEndOfView(of key: QueryKey) {
    guard recorder != nil else { return }
    record(.viewEnded(key, store.rowsToRecord(of: key)))
  }

  /// Records an event without changing it.
  @inlinable func record(_ envelope: inout EventEnvelope<Payload>, at now: Instant) {
    guard let recorder else { return }
    // Moved out and back in: a copy would count references to everything in the event.
    var event = CacheEvent<Payload>.infrastructure
    swap(&event, &envelope.event)
    switch consume event {
    case .changed(var entity):
      let bytes = withValueInPlace(&entity.payload) { weight(of: $0) }
      let row = RecordedRow(key: entity.key, version: entity.version, bytes: bytes)
      envelope.event = .changed(consume entity)
      if recorder.noteChange(of: row, at: envelope.place, now) { recordHoldings() }
    case let other:
      record(other, of: envelope, at: now)
      envelope.event = other
    }
  }

  @inlinable @inline(__always) func weight(of payload: borrowing InPlace<Payload>) -> Int {
    store.schema.weight(of: payload.value)
  }

  @inlinable func record(
    _ event: CacheEvent<Payload>, of envelope: EventEnvelope<Payload>, at now: Instant
  ) {
    let kind: RecordedEvent.Kind
    switch event {
    case .changed(let entity): kind = .changed(row(entity))
    case .batchChanged(let entities): kind = .batch(entities.map { row($0) }, envelope.origin)
    case .deleted(let keys, let version): kind = .deleted(keys, version)
    case .bulkNotice(let scope, _, let token): kind = .bulkNotice(scope, token: token)
    case .partlyDecoded(let entities, _):
      // Items that could not be decoded have made lists stale.
      record(.other)
      // With a position the recording would claim that nothing else changed there.
      let rows = RecordedEvent.Kind.batch(entities.map { row($0) }, envelope.origin)
      return record(.event(RecordedEvent(place: nil, kind: rows)), at: now)
    case .infrastructure: kind = .infrastructure
    }
    record(.event(RecordedEvent(place: envelope.place, kind: kind)), at: now)
  }

  /// Records writes that the app knows to be confirmed, without an event.
  @inlinable func recordWrite(
    _ changed: [VersionedEntity<Payload>], deleted: [(key: EntityKey, version: Version)],
    answeredAt place: EventPlace? = nil
  ) {
    guard recorder != nil else { return }
    func note(_ kind: RecordedEvent.Kind) {
      record(.event(RecordedEvent(place: place, isAnswer: true, kind: kind)))
    }
    if changed.count == 1 {
      note(.changed(row(changed[0])))
    } else if !changed.isEmpty {
      note(.batch(changed.map { row($0) }, .user))
    }
    for gone in deleted { note(.deleted([gone.key], gone.version)) }
  }

  @inlinable func record(_ response: MutationResponse<Payload>) {
    recordWrite(response.changed, deleted: response.deleted, answeredAt: response.place)
  }

  @inlinable func recordAnswer(
    _ result: Result<FetchResponse<Payload>, any Error>, to fetch: FetchID, of target: FetchTarget,
    at now: Instant
  ) {
    guard recorder != nil else { return }
    var answer: RecordedResponse?
    if case .success(let response) = result {
      answer = RecordedResponse(
        rows: response.entities.map { row($0) }, hasMore: response.hasMore,
        isNotModified: response.isNotModified, place: response.place)
    }
    record(.fetchEnded(fetch, target, answer), at: now)
    // The recording contains the answer for rows on screen, even if it arrives too late to be used.
    if answer != nil, case .query(let key) = target { store.markUnsent(key) }
  }

  /// Records missed events as they arrive; if the server no longer has them, everything is stale.
  @inlinable func record(_ response: ReconcileResponse<Payload>) {
    guard recorder != nil else { return }
    switch response {
    case .events(let events, _):
      for event in events {
        var unplaced = event
        unplaced.place = nil
        record(&unplaced, at: clock.now)
      }
    case .outline(let tags, _): for tag in tags { record(.invalidated(tag)) }
    case .tooOld: record(.other)
    }
  }

  @inlinable func row(_ entity: VersionedEntity<Payload>) -> RecordedRow {
    RecordedRow(
      key: entity.key, version: entity.version, bytes: store.schema.weight(of: entity.payload))
  }
}
