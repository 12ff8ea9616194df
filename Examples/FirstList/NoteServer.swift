import NormalizedCache

/// Instead of a server: it answers a query, and returns an event for each write.
actor NoteServer: CacheSource {
  static let library = LibraryID(rawValue: UniqueID(high: 0, low: 1))

  private var notes: [EntityKey: VersionedEntity<Note>] = [:]
  private var sequence: UInt64 = 0

  /// The position of its event stream, which each event advances by one.
  private var place: EventPlace {
    EventPlace(
      stream: StreamID(library: Self.library),
      position: StreamPosition(epoch: 1, sequence: sequence))
  }

  /// Writes a note, and returns its event.
  func write(_ number: UInt64, _ note: Note) -> EventEnvelope<Note> {
    sequence += 1
    let entity = VersionedEntity(
      key: EntityKey(type: Note.resourceType, id: UniqueID(high: 0, low: number)),
      version: Version(clock: sequence, device: 1), payload: note)
    notes[entity.key] = entity
    return EventEnvelope(place: place, event: .changed(entity))
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Note> {
    switch request.target {
    case .entity(let key):
      return FetchResponse(entities: notes[key].map { [$0] } ?? [], hasMore: false, place: place)
    case .query:
      let open = notes.values.filter { !$0.payload.isDone }
        .sorted { ($0.payload.title, $0.key) < ($1.payload.title, $1.key) }
      return FetchResponse(entities: open, hasMore: false, place: place)
    }
  }

  /// Returns the events after a position: this server keeps none, so everything is fetched again.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Note> {
    .tooOld(now: place.position)
  }
}
