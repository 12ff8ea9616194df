import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("A cache in a file")
struct SQLiteCacheTests {
  @Test("B50 A thousand writes to one entity are one row write in the file")
  func coalesces() async throws {
    let folder = try CacheFolder()
    let storage = SQLiteStorage(path: folder.path())
    let cache = try await open(storage)
    for clock in 1...1_000 {
      await cache.updateEntity(
        VersionedEntity(
          key: .note(3), version: Version(clock: UInt64(clock), device: 1),
          payload: Note(folder: 0, title: "a")), library: .test)
    }
    try await cache.flush()
    #expect(await storage.writtenRows == 1)
    try await cache.close()
  }

  @Test("B16 B53 Closed and opened again, without a server, the cache answers as before")
  func reopens() async throws {
    let folder = try CacheFolder()
    var server = NoteServer()
    server.repeatsRows = true
    for number in 0..<20 {
      server.write((number, Note(folder: number % 2, title: "\(number * 13 % 20)", text: "ab")))
    }
    let source = NoteSource()
    let cache = try await open(SQLiteStorage(path: folder.path()), source)
    var before: [[EntityKey]] = []
    for query in [NoteQuery.folder(0), .folder(1), .opaque] {
      async let rows = cache.query(query.key())
      await source.answerFetch(from: server)
      before.append(try await rows.map(\.key))
    }
    await cache.receive(server.write((4, Note(folder: 1, title: "0"))))
    before[0].removeAll { $0 == .note(4) }
    try await cache.close()

    let next = try await open(SQLiteStorage(path: folder.path()), source)
    #expect(try await next.query(NoteQuery.folder(0).key()).map(\.key) == before[0])
    #expect(try await next.query(NoteQuery.folder(1).key()).first?.key == .note(0 + 4))
    #expect(await next.rows(of: NoteQuery.opaque.key()).map(\.key) == before[2])
    #expect(await source.fetchCount == 3)
    try await next.close()
  }

  @Test("B54 A second cache on the same file goes on in memory")
  func secondCache() async throws {
    let folder = try CacheFolder()
    let first = try await open(SQLiteStorage(path: folder.path()))
    let second = try await open(
      SQLiteStorage(.init(path: folder.path(), busyTimeout: .milliseconds(10))))
    #expect(await second.storageState == .abandoned(.locked(folder.path())))
    await second.updateEntity(
      VersionedEntity(
        key: .note(1), version: Version(clock: 1, device: 1),
        payload: Note(folder: 0, title: "a")), library: .test)
    #expect(await second.residentEntities == 1)
    #expect(await first.storageState == .working)
    try await first.close()
  }

  private func open(
    _ storage: SQLiteStorage, _ source: NoteSource = NoteSource()
  ) async throws -> NormalizedCache<NoteSchema> {
    try await NormalizedCache.open(
      composition: .test(), schema: NoteSchema(), source: source, storage: storage,
      codec: NoteCodec(), writeBehind: WriteBehind(window: .seconds(60)), clock: ManualClock())
  }
}
