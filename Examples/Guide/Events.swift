import Foundation
import NormalizedCache

/// A note as the server sends it.
struct NoteMessage: Decodable {
  var id: UniqueID
  var clock: UInt64
  var device: UInt64
  var note: Note
}

func makeRegistry() throws -> ResourceTypeRegistry<Note> {
  var registry = ResourceTypeRegistry<Note>()
  try registry.register("note", as: Note.resourceType) { bytes in
    let message = try JSONDecoder().decode(NoteMessage.self, from: Data(bytes))
    return VersionedEntity(
      key: EntityKey(type: Note.resourceType, id: message.id),
      version: Version(clock: message.clock, device: message.device), payload: message.note)
  }
  return registry
}

/// Follows a connection until it ends, and says what could not be used.
func follow(
  _ events: sending AsyncStream<WireEvent>, into cache: NormalizedCache<NoteSchema>
) async throws {
  let updater = EventCacheUpdater(cache: cache, registry: try makeRegistry()) { failure in
    print("left out: \(failure)")
  }
  await updater.consume(events)
  let tally = await updater.tally
  print("\(tally.events) events, \(tally.undecodableItems) items not decoded")
}

/// An event as its transport frames it.
func event(
  in library: LibraryID, epoch: UInt32, sequence: UInt64, id: UniqueID, json: [UInt8]
) -> WireEvent {
  let place = EventPlace(
    stream: StreamID(library: library),
    position: StreamPosition(epoch: epoch, sequence: sequence))
  return WireEvent(place: place, content: .changed([WireItem(type: "note", id: id, bytes: json)]))
}
