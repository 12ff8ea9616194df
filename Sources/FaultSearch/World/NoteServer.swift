package import CacheModel
package import NormalizedCache

/// The ground truth of a cache under test: notes, and the stream of their changes.
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
  var answers: [MutationToken: MutationResponse<Note>] = [:]
  /// Whether results of opaque queries contain their first row twice.
  package var repeatsRows = false
  var type = NoteSchema.noteType
  var rules = NoteRules()

  package init(library: LibraryID = .test, source: UInt32 = 0, ownNumbers: Int = 1_000) {
    stream = StreamID(library: library, source: source)
    lastNumber = ownNumbers
  }

  package var place: Envelope.Place {
    Envelope.Place(
      stream: stream, position: StreamPosition(epoch: epoch, sequence: UInt64(log.count)))
  }

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

  /// Writes notes without an event.
  @discardableResult
  package mutating func change(_ changes: [(EntityKey, Note)]) -> [VersionedEntity<Note>] {
    let items = changes.map { key, note in
      VersionedEntity(key: key, version: tick(), payload: note)
    }
    for item in items { notes[item.key] = item }
    return items
  }

  /// Writes one note without sending an event, which the caller sends or omits.
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

  /// Returns alternating origins of batches, so that a cache that asks gets all answers.
  static func origin(ofBatchOf count: Int) -> EventOrigin {
    EventOrigin.allCases[count % EventOrigin.allCases.count]
  }

  /// Returns whether an event of this epoch has a note's deletion.
  func hasDeleted(_ key: EntityKey) -> Bool {
    log.contains { envelope in
      if case .deleted(let keys, _) = envelope.event { keys.contains(key) } else { false }
    }
  }

  /// Begins a new epoch: the log is lost, the notes are kept.
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

  /// Answers a query at this server's position.
  package func answer(
    _ key: QueryKey, beside others: [EntityKey: VersionedEntity<Note>] = [:]
  ) -> FetchResponse<Note> {
    let query = NoteQuery(key)
    let limit = rules.limit(of: query) ?? .max
    // A criterion that the app cannot evaluate: the length of the text.
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

  package func answer(
    _ form: ReconcileForm, after position: StreamPosition
  ) -> ReconcileResponse<Note> {
    let missed = missed(after: position)
    guard form == .outline, case .events(let events, let through) = missed else { return missed }
    let tag = InvalidationTag(library: stream.library, resourceType: type)
    return .outline(events.isEmpty ? [] : [tag], through: through)
  }

  // MARK: Steps of a write, without an event

  mutating func put(_ note: Note, at key: EntityKey) {
    notes[key] = VersionedEntity(key: key, version: tick(), payload: note)
  }

  /// Removes a note; returns whether it existed.
  mutating func remove(_ key: EntityKey) -> Bool { notes.removeValue(forKey: key) != nil }

  mutating func makeKey() -> EntityKey {
    lastNumber += 1
    return .note(lastNumber)
  }

  mutating func tick() -> Version {
    clock += 1
    return Version(clock: clock, device: 1)
  }
}

/// Performs clients' mutations: each token once, however often it is received.
extension NoteServer {
  /// Performs a mutation and sends its event; one that was performed before is only answered again.
  ///
  /// A created note gets a number from the server. An edit of a missing note has no effect.
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
