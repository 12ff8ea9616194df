import CachePersistence
import NormalizedCache
import NormalizedCacheFoundation

func openCache(
  path: String, policy: CachePolicy, server: any CacheSource<Note, NoteChange>
) async throws -> NormalizedCache<NoteSchema> {
  let cache = try await NormalizedCache.open(
    composition: policy, schema: NoteSchema(), source: server,
    storage: SQLiteStorage(path: path), codec: JSONCodec<Note, NoteChange>(schemaVersion: 1),
    onStorageError: { print("not stored: \($0)") })
  if let report = await cache.restoreReport { print("\(report.entities) notes are back") }
  return cache
}

/// The system is short of memory.
func memoryIsShort(_ cache: NormalizedCache<NoteSchema>) async {
  await cache.releaseMemory(toFraction: 0.5)
}

/// The user logs out.
func logOut(of library: LibraryID, _ cache: NormalizedCache<NoteSchema>) async {
  await cache.clear(library: library)
}

/// The app goes to the background.
func pause(_ cache: NormalizedCache<NoteSchema>) async {
  do {
    try await cache.flush()
  } catch {
    print("not stored yet: \(error)")
  }
}
