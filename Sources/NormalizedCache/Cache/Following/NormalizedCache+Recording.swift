public import CacheModel

/// What a recorder is told, where there is one.
extension NormalizedCache {
  /// By which keys are understood.
  package var schema: Schema { store.schema }

  /// Has all that happens from here on told to a recorder, and first what the cache holds.
  package func beginRecording(by recorder: any CacheRecorder) {
    self.recorder = recorder
    isFollowed = true
    recordHoldings()
  }

  /// Tells the recorder how views that are open look, and then no more.
  package func endRecording() {
    guard recorder != nil else { return }
    // In a fixed order, which that of a dictionary is not.
    for key in store.queriesWithResult where observers[key] != nil {
      for _ in observers[key] ?? [] { recordEndOfView(of: key) }
    }
    recorder = nil
    isFollowed = instrument != nil || !following.isEmpty
  }

  @inlinable func record(_ happening: CacheHappening) {
    guard let recorder else { return }
    if recorder.note(happening, at: clock.now) { recordHoldings() }
  }

  @usableFromInline func recordHoldings() {
    guard let recorder else { return }
    let held = store.queriesWithResult.filter { store.isFresh($0, at: clock.now) }
    _ = recorder.note(.holds(queries: held.count), at: clock.now)
    for key in held {
      let views = observers[key]?.count ?? 0
      _ = recorder.note(.held(key, views: views, recordedRows(of: key) ?? []), at: clock.now)
    }
  }

  @inlinable func recordRead(
    of target: FetchTarget, _ outcome: ReadOutcome, isView: Bool
  ) {
    guard recorder != nil else { return }
    var rows: [RecordedRow]?
    if outcome == .hit {
      switch target {
      case .query(let key): rows = recordedRows(of: key)
      case .entity(let key):
        rows = store.confirmedEntity(key).map { [row($0)] }
      }
    }
    record(.read(target, outcome, isView: isView, rows))
  }

  @inlinable func recordEndOfView(of key: QueryKey) {
    guard recorder != nil else { return }
    record(.viewEnded(key, recordedRows(of: key)))
  }

  @inlinable func record(_ envelope: borrowing EventEnvelope<Payload>) {
    guard recorder != nil else { return }
    let kind: RecordedEvent.Kind
    switch envelope.event {
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
    record(.event(RecordedEvent(place: envelope.place, kind: kind)))
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
    _ result: Result<FetchResponse<Payload>, any Error>, to fetch: FetchID, of target: FetchTarget
  ) {
    guard recorder != nil else { return }
    var answer: RecordedResponse?
    if case .success(let response) = result {
      answer = RecordedResponse(
        rows: response.entities.map { row($0) }, hasMore: response.hasMore,
        isNotModified: response.isNotModified, place: response.place)
    }
    record(.fetchEnded(fetch, target, answer))
  }

  /// What was missed is told as it comes; where the server no longer tells it, all is stale.
  @inlinable func record(_ response: ReconcileResponse<Payload>) {
    guard recorder != nil else { return }
    switch response {
    case .events(let events, _):
      for event in events {
        var unplaced = event
        unplaced.place = nil
        record(unplaced)
      }
    case .outline(let tags, _): for tag in tags { record(.invalidated(tag)) }
    case .tooOld: record(.other)
    }
  }

  @inlinable func row(_ entity: VersionedEntity<Payload>) -> RecordedRow {
    RecordedRow(
      key: entity.key, version: entity.version, bytes: store.schema.weight(of: entity.payload))
  }

  /// What a query lists as the server confirmed it; `nil` where a value is missing.
  @inlinable func recordedRows(of key: QueryKey) -> [RecordedRow]? {
    guard let members = store.members(of: key), store.isComplete(key) else { return nil }
    var rows: [RecordedRow] = []
    rows.reserveCapacity(members.count)
    for slot in members {
      guard let payload = store.payload(of: slot) else { return nil }
      rows.append(
        RecordedRow(
          key: store.key(of: slot), version: store.version(of: slot),
          bytes: store.schema.weight(of: payload)))
    }
    return rows
  }
}
