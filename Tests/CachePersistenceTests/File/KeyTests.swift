import CacheModel
import CachePersistence
import CacheTestSupport
import NormalizedCache
import Testing

@Suite("Keys of queries in the file", .timeLimit(.minutes(30)))
struct KeyTests {
  @Test(
    "B20 B53 Two queries are one if and only if the bytes of their input are the same, in the file too"
  )
  func inputs() async throws {
    var random = RandomSource(seed: 53)
    let inputs = RandomText.distinct(120, hasNUL: true, &random).map(\.bytes)
    let folder = try CacheFolder()
    var storage = SQLiteStorage(path: folder.path())
    _ = try await storage.load()
    func query(_ place: Int) -> StoredQuery {
      StoredQuery(
        key: QueryKey(
          library: LibraryID(rawValue: UniqueID(high: 0, low: 1)),
          method: QueryMethod(rawValue: 1), input: inputs[place]),
        members: [], hasMore: false, isSorted: true, isTagged: false,
        fetchedAt: Instant(nanoseconds: Int64(place)), lastReadAt: .zero, place: nil,
        verification: 0, isMarkedStale: false, staleSince: nil)
    }
    var batch = CacheStorage.Batch(number: 1, replacesAll: true)
    batch.queries = inputs.indices.map(query)
    try await storage.write(batch)
    batch = CacheStorage.Batch(number: 2, replacesAll: false)
    batch.removedQueries = [query(0).key]
    try await storage.write(batch)
    await storage.close()
    storage = SQLiteStorage(path: folder.path())
    let stored = try await storage.load().queries
    await storage.close()
    #expect(Set(stored) == Set(inputs.indices.dropFirst().map(query)))
  }

  @Test("B54 A path with a NUL character costs persistence: no file is made of the part before it")
  func path() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(path: folder.path("cut") + "\0off")
    await #expect(throws: StorageError.self) { try await storage.load() }
    #expect(folder.names == [])
  }
}
