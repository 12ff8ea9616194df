package import CacheModel
package import NormalizedCache

/// The truth behind a cache under test: notes, and the stream of what happened to them.
///
/// It answers by filtering and sorting everything, so that it is too simple to be wrong.
package struct NoteServer: Sendable {
  package typealias Envelope = EventEnvelope<Note>

  package private(set) var notes: [EntityKey: VersionedEntity<Note>] = [:]
  package private(set) var log: [Envelope] = []
  package private(set) var epoch: UInt32 = 1
  package let stream: StreamID
  private var clock: UInt64 = 0
  private var lastNumber: Int
  /// What was answered to each mutation that was carried out.
  var answers: [MutationToken: MutationResponse<Note>] = [:]
  /// Whether results of opaque queries list their first row again at the end.
  package var repeatsRows = false
  /// What its notes are.
  var type = NoteSchema.noteType
  /// What its queries list.
  var rules = NoteRules()

  package init(library: LibraryID = .test, source: UInt32 = 0, ownNumbers: Int = 1_000) {
    stream = StreamID(library: library, source: source)
    lastNumber = ownNumbers
  }

  package var place: Envelope.Place {
    Envelope.Place(
      stream: stream, position: StreamPosition(epoch: epoch, sequence: UInt64(log.count)))
  }

  /// Writes notes and tells of it in one event.
  @discardableResult
  package mutating func write(_ changes: (number: Int, note: Note)...) -> Envelope {
    write(changes.map { (EntityKey.note($0.number), $0.note) })
  }

  @discardableResult
  package mutating func write(_ changes: [(EntityKey, Note)]) -> Envelope {
    let items = change(changes)
    if let only = items.first, items.count == 1 { return publish(.changed(only)) }
    return publish(.batchChanged(items), origin: Self.origin(ofBatchOf: items.count))
  }

  /// Writes notes, and tells of it in no event.
  @discardableResult
  package mutating func change(_ changes: [(EntityKey, Note)]) -> [VersionedEntity<Note>] {
    let items = changes.map { key, note in
      VersionedEntity(key: key, version: tick(), payload: note)
    }
    for item in items { notes[item.key] = item }
    return items
  }

  /// Writes one note and tells no one; the event is for the caller to tell, or to spoil.
  package mutating func apply(_ change: (key: EntityKey, note: Note)) -> CacheEvent<Note> {
    let item = VersionedEntity(key: change.key, version: tick(), payload: change.note)
    notes[change.key] = item
    return .changed(item)
  }

  @discardableResult
  package mutating func delete(_ keys: EntityKey...) -> Envelope {
    delete(keys)
  }

  @discardableResult
  package mutating func delete(_ keys: [EntityKey]) -> Envelope {
    for key in keys { notes[key] = nil }
    return publish(.deleted(keys, version: tick()))
  }

  @discardableResult
  package mutating func publish(
    _ event: CacheEvent<Note>, mutation: MutationToken? = nil,
    keys: [EntityKey: EntityKey] = [:], origin: EventOrigin? = nil
  ) -> Envelope {
    let position = StreamPosition(epoch: epoch, sequence: UInt64(log.count + 1))
    let envelope = Envelope(
      place: Envelope.Place(stream: stream, position: position), event: event, mutation: mutation,
      keys: keys, origin: origin)
    log.append(envelope)
    return envelope
  }

  /// Batches say by turns what they come from, so that a cache that asks has all answers.
  static func origin(ofBatchOf count: Int) -> EventOrigin {
    EventOrigin.allCases[count % EventOrigin.allCases.count]
  }

  /// Whether an event of this epoch tells of a note's deletion.
  func hasDeleted(_ key: EntityKey) -> Bool {
    log.contains { envelope in
      if case .deleted(let keys, _) = envelope.event { keys.contains(key) } else { false }
    }
  }

  /// Begins a new epoch: the log is gone, the notes are not.
  package mutating func restart() {
    epoch += 1
    log.removeAll()
  }

  package func answer(_ target: FetchTarget) -> FetchResponse<Note> {
    switch target {
    case .entity(let key):
      FetchResponse(entities: notes[key].map { [$0] } ?? [], hasMore: false, place: place)
    case .query(let key):
      answer(key)
    }
  }

  /// Answers a query, read at this server's place.
  package func answer(
    _ key: QueryKey, beside others: [EntityKey: VersionedEntity<Note>] = [:]
  ) -> FetchResponse<Note> {
    let query = NoteQuery(key)
    let limit = rules.limit(of: query) ?? .max
    // What the app cannot tell, this server decides by the length of the text.
    let all = (Array(notes.values) + Array(others.values)).filter {
      rules.lists($0.payload, at: $0.key, in: query) ?? $0.payload.text.count.isMultiple(of: 2)
    }
    .sorted {
      rules.precedes($0.payload, key: $0.key, $1.payload, key: $1.key, in: query)
    }
    var rows = Array(all.prefix(limit))
    if rules.showsSummaries(query) {
      rows = rows.map {
        VersionedEntity(key: $0.key, version: $0.version, payload: $0.payload.summary)
      }
    }
    if query == .opaque, repeatsRows, let first = rows.first { rows.append(first) }
    return FetchResponse(entities: rows, hasMore: all.count > limit, place: place)
  }

  package func missed(after position: StreamPosition) -> ReconcileResponse<Note> {
    guard position.epoch == epoch else { return .tooOld(now: place.position) }
    return .events(
      Array(log.dropFirst(Int(position.sequence))), through: place.position)
  }

  /// Answers a reconcile, in the form in which it was asked for.
  package func answer(
    _ form: ReconcileForm, after position: StreamPosition
  ) -> ReconcileResponse<Note> {
    let missed = missed(after: position)
    guard form == .outline, case .events(let events, let through) = missed else { return missed }
    let tag = InvalidationTag(library: stream.library, resourceType: type)
    return .outline(events.isEmpty ? [] : [tag], through: through)
  }

  // MARK: Steps of a write, of which no one is told yet

  mutating func put(_ note: Note, at key: EntityKey) {
    notes[key] = VersionedEntity(key: key, version: tick(), payload: note)
  }

  /// Returns whether there was such a note.
  mutating func remove(_ key: EntityKey) -> Bool { notes.removeValue(forKey: key) != nil }

  /// A key that no note has had.
  mutating func makeKey() -> EntityKey {
    lastNumber += 1
    return .note(lastNumber)
  }

  mutating func tick() -> Version {
    clock += 1
    return Version(clock: clock, device: 1)
  }
}

/// The server carries out what clients ask for: each token once, however often it is asked.
extension NoteServer {
  /// Carries a mutation out and tells of it; one that was carried out before is only answered again.
  ///
  /// What is created gets a number of the server's own. An edit of a note that does not exist has no
  /// effect.
  package mutating func carryOut(
    _ mutation: NoteMutation
  ) -> (response: MutationResponse<Note>, events: [Envelope]) {
    if let response = answers[mutation.token] { return (response, []) }
    let effect = apply(mutation)
    var events: [Envelope] = []
    let version = tick()
    if !effect.deleted.isEmpty {
      let isLast = effect.changed.isEmpty
      events.append(
        publish(
          .deleted(effect.deleted, version: version), mutation: isLast ? mutation.token : nil))
    }
    if !effect.changed.isEmpty || events.isEmpty {
      events.append(
        publish(
          .batchChanged(effect.changed), mutation: mutation.token, keys: effect.keys,
          origin: Self.origin(ofBatchOf: effect.changed.count)))
    }
    let response = MutationResponse(
      changed: effect.changed, deleted: effect.deleted.map { ($0, version) }, keys: effect.keys,
      place: place)
    answers[mutation.token] = response
    return (response, events)
  }

  /// Whether a mutation has had its effect.
  package func hasCarriedOut(_ token: MutationToken) -> Bool { answers[token] != nil }

  private struct Effect {
    var changed: [VersionedEntity<Note>] = []
    var deleted: [EntityKey] = []
    var keys: [EntityKey: EntityKey] = [:]
  }

  private mutating func apply(_ mutation: NoteMutation) -> Effect {
    var effect = Effect()
    var changed: [EntityKey] = []
    for edit in mutation.edits {
      let key = effect.keys[edit.key] ?? edit.key
      switch edit {
      case .create(_, let note):
        let own = makeKey()
        effect.keys[edit.key] = own
        put(note, at: own)
        changed.append(own)
      case .update(_, let change):
        guard let note = notes[key]?.payload else { continue }
        put(change.applied(to: note), at: key)
        changed.append(key)
      case .delete:
        guard remove(key) else { continue }
        effect.deleted.append(key)
      }
    }
    var told: Set<EntityKey> = []
    effect.changed = changed.filter { told.insert($0).inserted }.compactMap { notes[$0] }
    return effect
  }
}
