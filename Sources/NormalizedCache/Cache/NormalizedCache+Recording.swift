public import CacheModel
public import Containers

/// Receives all that a cache receives, in the order in which its store does: for a recording that simulates to
/// the same.
///
/// Called on the cache's actor, so it must not wait.
@usableFromInline package protocol CacheRecorder: AnyObject, Sendable {
  /// Something happens.
  ///
  /// - Returns: whether the recorder begins again, and needs the contents of the cache.
  func note(_ operation: RecordedOperation, at now: Instant) -> Bool

  /// An event about one entity: of all that happens, nearly everything.
  ///
  /// - Returns: as ``note(_:at:)``.
  func noteChange(of row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Bool

  /// The schema has said where states stand that arrived since.
  ///
  /// - Returns: as ``note(_:at:)``.
  func note(_ places: [RecordedPosition]) -> Bool
}

/// What can happen to a cache, without the values that it is about.
@usableFromInline package enum RecordedOperation: Sendable {
  /// A read, with the rows of what was served.
  case read(FetchTarget, ReadOutcome, isView: Bool, [RecordedRow]?)
  /// The app asks again by itself, or ahead.
  case askedAgain(QueryKey)
  /// A view is left, with the rows that it showed last.
  case viewEnded(QueryKey, [RecordedRow]?)
  case tagged(QueryKey, Bool)
  case fetchBegan(FetchID, FetchTarget)
  case fetchEnded(FetchID, FetchTarget, RecordedResponse?)
  case event(RecordedEvent)
  case heartbeat(EventPlace)
  case invalidated(InvalidationTag)
  case invalidatedQuery(QueryKey)
  case cleared(LibraryID)
  /// A query has got the first rows of another that lists the same.
  case taken(QueryKey, from: QueryKey, [RecordedRow]?)
  case released(toFraction: Double)
  /// What the schema said of the states that arrived since.
  case placed([RecordedPosition])
  /// What no recording has a place for.
  case other
  /// What the cache holds of now on: how many queries follow, and then each.
  case holds(queries: Int)
  case held(QueryKey, views: Int, [RecordedRow])
}

/// An answer of the server, as a recording knows it.
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

/// An event, or a write that is confirmed, as a recording knows it.
@usableFromInline package struct RecordedEvent: Sendable {
  @usableFromInline package var place: EventPlace?
  /// Whether the server said so in answer to a write, and its event is still to come.
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

/// Calls of a recorder, if there is one.
extension NormalizedCache {
  /// By which keys are understood.
  package var schema: Schema { store.schema }

  /// Sends all that happens from here on to a recorder, and first what the cache holds.
  package func beginRecording(by recorder: any CacheRecorder) {
    self.recorder = recorder
    noteWhoFollows()
    store.recordedOrders.isOn = true
    store.recordedOrders.positions = []
    recordHoldings()
  }

  /// Sends the recorder how open views look, and then no more.
  package func endRecording() {
    guard recorder != nil else { return }
    // In a fixed order, which that of a dictionary is not.
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

  /// What the schema was asked in a commit.
  @usableFromInline func flushRecordedPositions() {
    // The array is kept, so that places of the next commit need no memory.
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

  /// Records an event, and leaves it as it is.
  @inlinable func record(_ envelope: inout EventEnvelope<Payload>, at now: Instant) {
    guard let recorder else { return }
    // Moved out and in again: a copy counts references to all that the event holds.
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
      // What could not be decoded has made lists stale.
      record(.other)
      // With its place the file would say that nothing else changed there.
      let rows = RecordedEvent.Kind.batch(entities.map { row($0) }, envelope.origin)
      return record(.event(RecordedEvent(place: nil, kind: rows)), at: now)
    case .infrastructure: kind = .infrastructure
    }
    record(.event(RecordedEvent(place: envelope.place, kind: kind)), at: now)
  }

  /// Writes that the app knows to be confirmed, and of which there was no event.
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
    // The file has the answer for what the list shows, also where it comes too late to be taken.
    if answer != nil, case .query(let key) = target { store.markUnsent(key) }
  }

  /// Missed events are recorded as they come; if the server no longer has them, all is stale.
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
