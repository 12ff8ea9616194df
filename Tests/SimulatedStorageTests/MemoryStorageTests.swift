import CacheModel
import NormalizedCache
import SimulatedStorage
import Testing

@Suite("A storage in memory")
struct MemoryStorageTests {
  private typealias Storage = MemoryStorage<Int, String>

  private static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  /// A query and the rows that only it lists, each of this many bytes.
  private static func batch(
    query number: Int, rows: Int = 10, bytes: Int = 1_000, replacesAll: Bool = false
  ) -> Storage.Batch {
    var batch = Storage.Batch(number: UInt64(number + 1), replacesAll: replacesAll)
    let at = Instant(nanoseconds: Int64(number))
    batch.entities = (0..<rows).map { row in
      StoredEntity(
        key: key(query: number, row: row), version: Version(clock: UInt64(number + 1), device: 1),
        payload: bytes, library: library, verification: 0, writtenAt: at)
    }
    batch.queries = [
      StoredQuery(
        key: queryKey(number), members: batch.entities.map(\.key), hasMore: false, isSorted: true,
        isTagged: false, fetchedAt: at, lastReadAt: at, place: nil, verification: 0,
        isMarkedStale: false, staleSince: nil)
    ]
    return batch
  }

  private static func key(query: Int, row: Int) -> EntityKey {
    EntityKey(
      type: ResourceType(rawValue: 1), id: UniqueID(high: UInt64(query), low: UInt64(row)))
  }

  private static func queryKey(_ number: Int) -> QueryKey {
    QueryKey(
      library: library, method: QueryMethod(rawValue: 1), input: Array("\(number)".utf8))
  }

  private static func write(_ batch: Storage.Batch, to storage: inout Storage) {
    storage.begin(batch)
    #expect(storage.finish() == batch.number)
  }

  private static func limited(to bytes: Int) -> Storage {
    Storage(limit: .init(maximumBytes: bytes) { $0 })
  }

  /// The stored content, computed from scratch.
  private static func bytes(in storage: Storage) -> Int {
    let held = storage.contents
    return held.entities.reduce(0) { $0 + StoredSize.ofEntity(payload: $1.payload ?? 0) }
      + held.queries.reduce(0) {
        $0 + StoredSize.ofQuery(input: $1.key.input.count, members: $1.members?.count ?? 0)
      }
  }

  @Test("writes a batch whole, or not at all")
  func wholeBatches() {
    var storage = Storage()
    Self.write(Self.batch(query: 0), to: &storage)
    storage.begin(Self.batch(query: 1))
    #expect(storage.refuse() == 2)
    #expect(storage.finish() == nil)
    #expect(storage.contents.queries.map(\.key) == [Self.queryKey(0)])
    #expect(storage.writtenRows == 11)
  }

  @Test("B52 keeps to its limit, and the most recently used, complete")
  func limit() {
    let limit = 100_000
    var storage = Self.limited(to: limit)
    for number in 0..<50 {
      Self.write(Self.batch(query: number), to: &storage)
      #expect(storage.usedBytes <= limit)
      #expect(storage.usedBytes == Self.bytes(in: storage))
    }
    let held = storage.contents
    let kept = held.queries.map { Int($0.lastReadAt.nanoseconds) }.sorted()
    #expect(kept == Array((50 - kept.count)..<50))
    #expect(kept.count >= 4)
    #expect(Set(held.queries.flatMap { $0.members ?? [] }) == Set(held.entities.map(\.key)))
    // So that nothing older than the dropped data counts as new.
    #expect(held.progress.forgotten == Version(clock: UInt64(50 - kept.count), device: 1))
  }

  @Test("counts a row that is written again, or removed, once")
  func bytes() {
    var storage = Self.limited(to: 1_000_000)
    Self.write(Self.batch(query: 0), to: &storage)
    let once = storage.usedBytes
    Self.write(Self.batch(query: 0), to: &storage)
    #expect(storage.usedBytes == once)
    var removal = Storage.Batch(number: 3, replacesAll: false)
    removal.removedEntities = (0..<10).map { Self.key(query: 0, row: $0) }
    removal.removedQueries = [Self.queryKey(0)]
    Self.write(removal, to: &storage)
    #expect(storage.usedBytes == 0)
  }

  @Test("starts over if a batch replaces all, and cuts that to the limit")
  func replacement() {
    var storage = Self.limited(to: 100_000)
    Self.write(Self.batch(query: 0), to: &storage)
    var all = Self.batch(query: 1, replacesAll: true)
    for number in 2..<20 {
      let part = Self.batch(query: number)
      all.entities += part.entities
      all.queries += part.queries
    }
    Self.write(all, to: &storage)
    #expect(storage.usedBytes <= 50_000)
    #expect(storage.usedBytes == Self.bytes(in: storage))
    #expect(storage.contents.queries.contains { $0.key == Self.queryKey(19) })
    #expect(!storage.contents.queries.contains { $0.key == Self.queryKey(0) })
  }

  @Test("has nothing once it has lost everything")
  func loss() {
    var storage = Self.limited(to: 100_000)
    Self.write(Self.batch(query: 0), to: &storage)
    storage.lose()
    #expect(storage.contents.entities.isEmpty)
    #expect(storage.contents.queries.isEmpty)
    #expect(storage.usedBytes == 0)
  }
}
