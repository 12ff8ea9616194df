import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import Foundation
import GRDB
import NormalizedCache
import Testing

@Suite("Files that cannot be used", .timeLimit(.minutes(30)))
struct FaultTests {
  private let folder: CacheFolder
  private var path: String { folder.path() }

  init() throws {
    folder = try CacheFolder()
  }

  @Test("B54 A file that is not a database is kept aside, and a new one is begun")
  func noDatabase() async throws {
    let bytes = Data("not a database, but somebody's notes".utf8)
    try bytes.write(to: URL(fileURLWithPath: path))
    let storage = SQLiteStorage(path: path)
    let aside = path + ".corrupt-1"
    await #expect(throws: StorageError.corrupt(path, keptAside: aside)) { try await storage.load() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == bytes)
    try await storage.write(Self.batch(notes: 3))
    await storage.close()
    #expect(try await stored() == 3)
  }

  @Test(
    "B54 Pages overwritten at any place are found, or harmless; the file is kept", arguments: 0..<12
  )
  func overwritten(seed: Int) async throws {
    try await write(notes: 400)
    var random = RandomSource(seed: UInt64(seed))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let pages = bytes.count / 4_096
    let start = (1 + random.below(pages - 1)) * 4_096
    for index in start..<start + 4_096 { bytes[index] = UInt8(random.below(256)) }
    try bytes.write(to: URL(fileURLWithPath: path))
    let storage = SQLiteStorage(path: path)
    do {
      let state = try await storage.load()
      // A page that nothing uses.
      #expect(state.entities.count == 400)
      await storage.close()
    } catch {
      let aside = path + ".corrupt-1"
      #expect(error == .corrupt(path, keptAside: aside))
      #expect(FileManager.default.fileExists(atPath: aside))
      try await storage.write(Self.batch(notes: 2))
      await storage.close()
      #expect(try await stored() == 2)
    }
  }

  @Test("B54 A file of a newer program is left untouched, byte for byte")
  func newerSchema() async throws {
    try await write(notes: 3)
    let database = try DatabaseQueue(path: path)
    try await database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA user_version = 9")
      try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try database.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let storage = SQLiteStorage(path: path)
    await #expect(throws: StorageError.newerSchema(found: 9, supported: 1, path)) {
      try await storage.load()
    }
    await #expect(throws: StorageError.closed) { try await storage.write(Self.batch(notes: 1)) }
    await storage.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(folder.names == ["cache.sqlite"])
  }

  @Test("B54 A database of another program is left untouched")
  func otherProgram() async throws {
    let database = try DatabaseQueue(path: path)
    try await database.write { try $0.execute(sql: "CREATE TABLE theirs (a)") }
    try database.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let storage = SQLiteStorage(path: path)
    do {
      _ = try await storage.load()
      Issue.record("it was taken for a cache")
    } catch {
      #expect(error.description.contains("another program"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("B54 A file locked by another cache is refused immediately, and free when that one closes")
  func lockedByCache() async throws {
    let first = SQLiteStorage(path: path)
    _ = try await first.load()
    try await first.write(Self.batch(notes: 2))
    let second = SQLiteStorage(
      SQLiteStorage.Configuration(path: path, busyTimeout: .milliseconds(20)))
    await #expect(throws: StorageError.locked(path)) { try await second.load() }
    await first.close()
    #expect(try await second.load().entities.count == 2)
    await second.close()
  }

  @Test("B54 A file in which another program writes is locked")
  func lockedByWriter() async throws {
    try await write(notes: 1)
    var options = Configuration()
    options.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: options)
    try await other.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try db.execute(sql: "BEGIN IMMEDIATE")
      try db.execute(sql: "DELETE FROM notices")
    }
    let storage = SQLiteStorage(
      SQLiteStorage.Configuration(path: path, busyTimeout: .milliseconds(20)))
    await #expect(throws: StorageError.locked(path)) { try await storage.load() }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try other.close()
    #expect(try await storage.load().entities.count == 1)
    await storage.close()
  }

  @Test("B54 A write-protected file is read, and not written")
  func readOnly() async throws {
    try await write(notes: 4)
    var configuration = SQLiteStorage.Configuration(path: path)
    configuration.isReadOnly = true
    let storage = SQLiteStorage(configuration)
    #expect(try await storage.load().entities.count == 4)
    await #expect(throws: StorageError.readOnly(path)) {
      try await storage.write(Self.batch(notes: 9))
    }
    await storage.close()
    #expect(try await stored() == 4)
  }

  @Test("B54 A batch without enough space is not written at all")
  func full() async throws {
    try await write(notes: 5)
    let storage = SQLiteStorage(
      SQLiteStorage.Configuration(path: path, maximumBytes: 150_000))
    _ = try await storage.load()
    var batch = Self.batch(notes: 1, replacing: false)
    batch.entities[0].payload = [UInt8](repeating: 7, count: 200_000)
    await #expect(throws: StorageError.full(path)) { try await storage.write(batch) }
    #expect(try await storage.load().entities.count == 5)
    await storage.close()
  }

  @Test("A folder that is not there is a clear error")
  func noFolder() async {
    let storage = SQLiteStorage(path: folder.path("nowhere") + "/cache.sqlite")
    do {
      _ = try await storage.load()
      Issue.record("it was opened")
    } catch {
      #expect(error.description.contains("nowhere"))
    }
  }

  // MARK: Contents

  private func write(notes: Int) async throws {
    let storage = SQLiteStorage(path: path)
    _ = try await storage.load()
    try await storage.write(Self.batch(notes: notes))
    await storage.close()
  }

  private func stored() async throws -> Int {
    let storage = SQLiteStorage(path: path)
    let count = try await storage.load().entities.count
    await storage.close()
    return count
  }

  static func batch(notes: Int, replacing: Bool = true) -> CacheStorage.Batch {
    var batch = CacheStorage.Batch(number: 1, replacesAll: replacing)
    batch.schemaVersion = 1
    batch.entities = (0..<notes).map { number in
      StoredEntity(
        key: .note(number), version: Version(clock: UInt64(number), device: 1),
        payload: [UInt8](repeating: UInt8(number % 256), count: 300), library: nil,
        verification: 0, writtenAt: Instant(nanoseconds: Int64(number)))
    }
    return batch
  }
}
