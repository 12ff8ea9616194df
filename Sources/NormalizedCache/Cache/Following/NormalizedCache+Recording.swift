public import CacheModel
public import Containers

/// What a recorder is told, where there is one.
extension NormalizedCache {
  /// By which keys are understood.
  package var schema: Schema { store.schema }

  /// Has all that happens from here on told to a recorder, and first what the cache holds.
  package func beginRecording(by recorder: any CacheRecorder) {
    self.recorder = recorder
    noteWhoFollows()
    store.notedPlaces.isOn = true
    store.notedPlaces.places = []
    recordHoldings()
  }

  /// Tells the recorder how views that are open look, and then no more.
  package func endRecording() {
    guard recorder != nil else { return }
    // In a fixed order, which that of a dictionary is not.
    for key in store.queriesWithResult {
      for _ in 0..<observers.count(of: key) { recordEndOfView(of: key) }
    }
    recorder = nil
    store.notedPlaces.isOn = false
    noteWhoFollows()
  }

  @inlinable func record(_ happening: CacheHappening, at now: Instant? = nil) {
    guard let recorder else { return }
    if recorder.note(happening, at: now ?? clock.now) { recordHoldings() }
  }

  /// What the schema was asked in a commit.
  @usableFromInline func recordPlaces() {
    // The array is kept, so that places of the next commit need no memory.
    let beginsAnew = recorder?.note(store.notedPlaces.places) ?? false
    store.notedPlaces.places.removeAll(keepingCapacity: true)
    if beginsAnew { recordHoldings() }
  }

  @usableFromInline func recordHoldings() {
    guard let recorder else { return }
    store.notedPlaces.toldAfter = []
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
      kind = .batch(entities.map { row($0) }, envelope.origin)
    case .infrastructure: kind = .infrastructure
    }
    record(.event(RecordedEvent(place: envelope.place, kind: kind)), at: now)
  }

  /// Writes that the app knows to be confirmed, and of which no event has told.
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
    if answer != nil, case .query(let key) = target { store.untell(key) }
  }

  /// What was missed is told as it comes; where the server no longer tells it, all is stale.
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
