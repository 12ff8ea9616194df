import Foundation
import NormalizedCache

/// A server in memory: it answers queries, and tells every connected device what happens.
actor Server: CacheSource {
  private let stream: StreamID
  private var albums: [UniqueID: VersionedEntity<Album>] = [:]
  /// Everything that has happened, for devices that missed some of it.
  private var log: [EventEnvelope<Album>] = []
  private var devices: [AsyncStream<WireEvent>.Continuation] = []
  private var answers: [MutationToken: MutationResponse<Album>] = [:]
  private(set) var requests = 0

  init(library: LibraryID) {
    stream = StreamID(library: library)
  }

  /// The place of the last event.
  private var place: EventPlace {
    EventPlace(
      stream: stream, position: StreamPosition(epoch: 1, sequence: UInt64(log.count)))
  }

  // MARK: What the caches ask

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Album> {
    requests += 1
    let found =
      switch request.target {
      case .query:
        albums.values.sorted { ($0.payload.name, $0.key) < ($1.payload.name, $1.key) }
      case .entity(let key):
        albums[key.id].map { [$0] } ?? []
      }
    return FetchResponse(entities: found, hasMore: false, place: place)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Album> {
    .events(Array(log.dropFirst(Int(position.sequence))), through: place.position)
  }

  /// Carries a user's change out, once for each token.
  func send(
    _ mutation: ClientMutation<Album, AlbumChange>
  ) async throws -> MutationResponse<Album> {
    if let answer = answers[mutation.token] { return answer }
    var answer = MutationResponse<Album>()
    for case .update(let key, let change) in mutation.edits where albums[key.id] != nil {
      answer.changed.append(try name(key.id, change.name, mutation: mutation.token))
    }
    answer.place = place
    answers[mutation.token] = answer
    return answer
  }

  // MARK: What the devices hear

  /// Everything that happens from here on.
  func connect() -> AsyncStream<WireEvent> {
    let (events, device) = AsyncStream<WireEvent>.makeStream()
    devices.append(device)
    return events
  }

  /// Gives an album a name, and tells of it.
  @discardableResult
  func name(
    _ id: UniqueID, _ name: String, mutation: MutationToken? = nil
  ) throws -> VersionedEntity<Album> {
    let clock = UInt64(log.count + 1)
    let entity = VersionedEntity(
      key: EntityKey(type: Album.resourceType, id: id), version: Version(clock: clock, device: 0),
      payload: Album(name: name))
    let place = EventPlace(stream: stream, position: StreamPosition(epoch: 1, sequence: clock))
    albums[id] = entity
    log.append(EventEnvelope(place: place, event: .changed(entity), mutation: mutation))
    let bytes = [UInt8](try JSONEncoder().encode(AlbumMessage(entity)))
    let event = WireEvent(
      place: place, content: .changed([WireItem(type: "album", id: id, bytes: bytes)]),
      mutation: mutation)
    for device in devices { device.yield(event) }
    return entity
  }
}
