import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import Foundation
import NormalizedCache
import Testing

@Suite("Keeping a file within its size")
struct TrimTests {
  private static let limit = 1 << 20

  @Test("B52 The file stays within its limit, and keeps the most recently used, complete")
  func limitHolds() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(.init(path: folder.path(), maximumBytes: Self.limit))
    _ = try await storage.load()
    let perQuery = 20
    for number in 0..<100 {
      try await storage.write(Self.batch(query: number, rows: perQuery))
      let size = try FileManager.default.attributesOfItem(atPath: folder.path())[.size] as? Int
      #expect(try #require(size) <= Self.limit)
    }
    let state = try await storage.load()
    await storage.close()
    let kept = state.queries.map { Int(String(decoding: $0.key.input, as: UTF8.self)) ?? -1 }
    #expect(kept.sorted() == Array((100 - kept.count)..<100), "the ones used last are kept")
    #expect(kept.count > 10)
    // Whole: every member has its value, and no entity is there without a query.
    #expect(Set(state.queries.flatMap { $0.members ?? [] }) == Set(state.entities.map(\.key)))
    #expect(state.entities.allSatisfy { $0.payload != nil })
    #expect(state.progress.forgotten > .none, "what was dropped is known to be forgotten")
  }

  @Test("B52 A trimmed file takes many batches before it is full again", arguments: [1_000, 2_000])
  func trimmedSeldom(bytes: Int) async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(.init(path: folder.path(), maximumBytes: Self.limit))
    _ = try await storage.load()
    var forgotten = Version.none
    var trims = 0
    for number in 0..<100 {
      try await storage.write(Self.batch(query: number, rows: 10, bytes: bytes))
      let now = try await storage.load().progress.forgotten
      if now != forgotten { trims += 1 }
      forgotten = now
    }
    await storage.close()
    // A row of 2,000 bytes fills a page of 4,096.
    #expect(1...12 ~= trims)
  }

  @Test("B52 A rewrite larger than the limit is cut to the most recently used")
  func rewrite() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(.init(path: folder.path(), maximumBytes: Self.limit))
    _ = try await storage.load()
    var batch = CacheStorage.Batch(number: 1, replacesAll: true)
    for number in 0..<100 {
      let part = Self.batch(query: number, rows: 20)
      batch.entities += part.entities
      batch.queries += part.queries
    }
    try await storage.write(batch)
    let state = try await storage.load()
    await storage.close()
    #expect(state.queries.count > 10)
    #expect(state.queries.contains { $0.key == batch.queries.last?.key })
    #expect(Set(state.queries.flatMap { $0.members ?? [] }) == Set(state.entities.map(\.key)))
    // The newest version of an absent entity, so that an older one does not count as new.
    let kept = Set(state.entities.map(\.key))
    let dropped = batch.entities.filter { !kept.contains($0.key) }.map(\.version).max()
    #expect(state.progress.forgotten == dropped)
  }

  @Test("B52 Trimmed contents are still known to be missing after later batches")
  func forgottenStaysForgotten() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(.init(path: folder.path(), maximumBytes: Self.limit))
    _ = try await storage.load()
    var written: [EntityKey: Version] = [:]
    for number in 0..<100 {
      let batch = Self.batch(query: number, rows: 20)
      for entity in batch.entities { written[entity.key] = entity.version }
      try await storage.write(batch)
    }
    // Nothing is dropped for these: they only tell of progress, which knows nothing of the file's size.
    for number in 1...2 as ClosedRange<UInt64> {
      try await storage.write(CacheStorage.Batch(number: 100 + number, replacesAll: false))
    }
    let state = try await storage.load()
    await storage.close()
    for entity in state.entities { written[entity.key] = nil }
    #expect(state.progress.forgotten == written.values.max())
  }

  @Test("A query that was dropped is not brought back without its members")
  func droppedStaysDropped() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(path: folder.path())
    _ = try await storage.load()
    var batch = Self.batch(query: 1, rows: 2)
    batch.queries[0].members = nil
    try await storage.write(batch)
    #expect(try await storage.load().queries.isEmpty)
    await storage.close()
  }

  /// A query, read at the time that is its number, with rows of a kilobyte or another size.
  private static func batch(
    query number: Int, rows: Int, bytes: Int = 1_000
  ) -> CacheStorage.Batch {
    var batch = CacheStorage.Batch(number: 1, replacesAll: false)
    let keys = (0..<rows).map { EntityKey.note(number * rows + $0) }
    batch.entities = keys.map { key in
      StoredEntity(
        key: key, version: Version(clock: key.id.low, device: 1),
        payload: [UInt8](repeating: UInt8(number), count: bytes), library: nil, verification: 0,
        writtenAt: Instant(nanoseconds: Int64(number)))
    }
    batch.queries = [
      StoredQuery(
        key: NoteQuery.folder(number).key(), members: keys, hasMore: false, isSorted: true,
        isTagged: false, fetchedAt: .zero, lastReadAt: Instant(nanoseconds: Int64(number)),
        place: nil, verification: 0, isMarkedStale: false, staleSince: nil)
    ]
    return batch
  }
}
