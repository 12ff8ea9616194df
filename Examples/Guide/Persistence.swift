import CachePersistence
import Foundation
import NormalizedCache

/// The app's values as bytes.
struct NoteCodec: StorageCodec {
  /// Raised when `Note` changes; `decode` is told which version it reads.
  let schemaVersion = 1

  func encode(_ note: Note, of key: EntityKey) throws -> [UInt8] {
    [UInt8](try JSONEncoder().encode(note))
  }

  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Note {
    try JSONDecoder().decode(Note.self, from: Data(bytes))
  }

  func encodeChange(_ change: NoteChange, of key: EntityKey) throws -> [UInt8] {
    [UInt8](try JSONEncoder().encode(change))
  }

  func decodeChange(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> NoteChange {
    try JSONDecoder().decode(NoteChange.self, from: Data(bytes))
  }
}

func openCache(
  path: String, policy: PolicyComposition, server: any CacheSource<Note, NoteChange>
) async throws -> NormalizedCache<NoteSchema> {
  try await NormalizedCache.open(
    composition: policy, schema: NoteSchema(), source: server,
    storage: SQLiteStorage(path: path), codec: NoteCodec(),
    onStorageError: { print("not stored: \($0)") })
}

/// The app goes to the background.
func pause(_ cache: NormalizedCache<NoteSchema>) async {
  do {
    try await cache.flush()
  } catch {
    print("not stored yet: \(error)")
  }
}
