package import CacheModel
package import FaultSearch
import NormalizedCache

/// A story whose every moment follows from its number: event `n` writes, moves or deletes
/// one of a few notes.
///
/// The content stored by a killed process is compared with the moment that its cursor names.
package enum NumberedStory {
  package static let stream = StreamID(library: .test)
  package static let query = NoteQuery.folder(0).key()
  private static let noteCount: UInt64 = 40

  package static func place(_ number: UInt64) -> EventPlace {
    EventPlace(
      stream: stream, position: StreamPosition(epoch: 1, sequence: number))
  }

  /// The event of a number, from 1.
  package static func event(_ number: UInt64) -> EventEnvelope<Note> {
    let key = EntityKey.note(Int(number % noteCount))
    let version = Version(clock: number, device: 1)
    guard let note = note(number) else {
      return EventEnvelope(place: place(number), event: .deleted([key], version: version))
    }
    return EventEnvelope(
      place: place(number),
      event: .changed(VersionedEntity(key: key, version: version, payload: note)))
  }

  /// The notes after the event of a number, by key.
  package static func notes(after number: UInt64) -> [VersionedEntity<Note>] {
    (0..<noteCount).compactMap { index in
      // The last event that was about the note.
      guard number >= index else { return nil }
      let last = number - (number - index) % noteCount
      guard last > 0, let note = note(last) else { return nil }
      return VersionedEntity(
        key: .note(Int(index)), version: Version(clock: last, device: 1), payload: note)
    }
  }

  /// The rows of the query after the event of a number.
  package static func rows(after number: UInt64) -> [VersionedEntity<Note>] {
    notes(after: number).filter { $0.payload.folder == 0 }
      .sorted { ($0.payload.title, $0.key) < ($1.payload.title, $1.key) }
  }

  /// The note after event `number`; `nil`: it is deleted.
  private static func note(_ number: UInt64) -> Note? {
    var random = RandomSource(seed: number)
    if random.chance(0.15) { return nil }
    return Note(
      folder: random.chance(0.8) ? 0 : 1, title: String(random.below(1_000)),
      isStarred: random.chance(0.5), text: String(repeating: "x", count: random.below(300)))
  }
}
