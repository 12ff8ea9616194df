import CacheModel
import Foundation
import NormalizedCache

/// A server in memory: it answers queries, and tells every connected device what happens.
actor Server: CacheSource {
  private let stream: StreamID
  private var albums: [UniqueID: VersionedEntity<Album>] = [:]
  /// Everything that has happened, for devices that missed some of it.
  private var log: [EventEnvelope<Album>] = []
  private var devices: [AsyncStream<WireEvent>.Continuation] = []
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

  // MARK: What the devices do

  /// Everything that happens from here on.
  func connect() -> AsyncStream<WireEvent> {
    let (events, device) = AsyncStream<WireEvent>.makeStream()
    devices.append(device)
    return events
  }

  /// Gives an album a name, and tells of it.
  func name(
    _ id: UniqueID, _ name: String, by device: UInt64
  ) throws -> VersionedEntity<Album> {
    let entity = VersionedEntity(
      key: EntityKey(type: Album.resourceType, id: id),
      version: Version(clock: UInt64(log.count + 1), device: device), payload: Album(name: name))
    albums[id] = entity
    let position = StreamPosition(epoch: 1, sequence: UInt64(log.count + 1))
    log.append(
      EventEnvelope(
        place: EventPlace(stream: stream, position: position), event: .changed(entity)))
    let bytes = [UInt8](try JSONEncoder().encode(AlbumMessage(entity)))
    for device in devices {
      device.yield(
        WireEvent(place: place, content: .changed([WireItem(type: "album", id: id, bytes: bytes)])))
    }
    return entity
  }
}
