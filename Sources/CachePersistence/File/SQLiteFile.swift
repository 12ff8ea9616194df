import Foundation
import GRDB
import NormalizedCache

/// The file of a storage; synchronous.
///
/// Unchecked `Sendable`: its owner calls it on one serial queue only.
final class SQLiteFile: @unchecked Sendable {
  private let configuration: SQLiteStorage.Configuration
  private var connection: DatabaseQueue?
  /// Whether the file was read, or created anew: it is written only then.
  private var mayWrite = false
  private(set) var writtenRows = 0

  init(_ configuration: SQLiteStorage.Configuration) {
    self.configuration = configuration
  }

  func load() throws(StorageError) -> CacheStorage.State {
    do {
      let connection = try open()
      let state = try connection.read { db in
        try FileSchema.checkIntegrity(db)
        return try StateReader.read(db)
      }
      mayWrite = true
      return state
    } catch {
      throw settle(error)
    }
  }

  func write(_ batch: CacheStorage.Batch) throws(StorageError) {
    guard mayWrite else { throw .closed }
    do {
      let connection = try open()
      let batch = batch.replacesAll ? Trimming.fitting(batch, into: trimmedBytes) : batch
      do {
        try connection.write { try BatchWriter.write(batch, to: $0) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
        // Space may be gained by dropping the least recently used rows.
        try trim(connection)
        try connection.write { try BatchWriter.write(batch, to: $0) }
      }
      writtenRows += batch.entities.count + batch.queries.count
      if try connection.read({ try FileSchema.usedBytes($0) }) > highMark { try trim(connection) }
    } catch {
      throw settle(error)
    }
  }

  func close() {
    mayWrite = false
    disconnect()
  }

  // MARK: Space

  private var highMark: Int { TrimMarks.high(of: configuration.maximumBytes) }
  private var trimmedBytes: Int { TrimMarks.low(of: configuration.maximumBytes) }

  /// Drops the least recently used rows, and makes their space reusable.
  private func trim(_ connection: DatabaseQueue) throws {
    try connection.write { try Trimming.trim($0, to: trimmedBytes) }
    // Scattered deleted rows leave holes that new rows do not fill.
    try connection.vacuum()
  }

  // MARK: Opening

  private func open() throws -> DatabaseQueue {
    if let connection { return connection }
    guard !configuration.path.utf8.contains(0) else {
      throw StorageError.failed(
        "the path of the file contains a NUL character, where the system ends it; remove it")
    }
    try FileHeader.check(configuration.path)
    let opened = try DatabaseQueue(path: configuration.path, configuration: options)
    do {
      if configuration.isReadOnly {
        try opened.read { try FileSchema.check($0, path: configuration.path) }
      } else {
        try opened.writeWithoutTransaction {
          try FileSchema.prepare(
            $0, path: configuration.path, maximumBytes: configuration.maximumBytes)
        }
      }
    } catch {
      try? opened.close()
      throw error
    }
    connection = opened
    return opened
  }

  private var options: Configuration {
    var options = Configuration()
    options.label = "tidemark"
    options.readonly = configuration.isReadOnly
    options.busyMode = .timeout(
      TimeInterval(configuration.busyTimeout.components.seconds)
        + TimeInterval(configuration.busyTimeout.components.attoseconds) / 1e18)
    return options
  }

  private func disconnect() {
    try? connection?.close()
    connection = nil
  }

  // MARK: Failures

  /// Converts a failure to its type, and sets a corrupt file aside.
  private func settle(_ error: any Error) -> StorageError {
    let failure = StorageError(error, path: configuration.path)
    guard case .corrupt = failure else { return failure }
    disconnect()
    do {
      let aside = try FileHeader.setAside(configuration.path)
      mayWrite = true
      return .corrupt(configuration.path, keptAside: aside)
    } catch {
      mayWrite = false
      return .failed(
        "\(configuration.path) is corrupt, and cannot be put aside: \(error); move it away")
    }
  }
}

/// Checks a file without SQLite, which might change it.
enum FileHeader {
  /// - Throws: ``StorageError/corrupt(_:keptAside:)`` if it is not an SQLite file,
  ///   ``StorageError/newerSchema(found:supported:_:)`` if a newer version of the program wrote it.
  ///
  /// Source: the SQLite file format, section 1.3: the magic string at 0, the user version at 60.
  static func check(_ path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    let header = [UInt8](try file.read(upToCount: 100) ?? Data())
    guard !header.isEmpty else { return }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw StorageError.corrupt(path, keptAside: nil)
    }
    let version = header[60..<64].reduce(0) { $0 << 8 | Int($1) }
    try FileSchema.check(version: version, path: path)
  }

  /// Renames a file, with its log, to the first free name.
  ///
  /// - Throws: an error if it cannot be renamed, or a thousand such files exist.
  static func setAside(_ path: String) throws -> String {
    let files = FileManager.default
    let free = (1...1_000).lazy.map { "\(path).corrupt-\($0)" }.first {
      !files.fileExists(atPath: $0)
    }
    guard let free else { throw CocoaError(.fileWriteFileExists) }
    try files.moveItem(atPath: path, toPath: free)
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try files.moveItem(atPath: path + suffix, toPath: free + suffix)
    }
    return free
  }
}

enum FileSchema {
  static let version = 1
  /// "TDMK", so that another program's file is not mistaken for a cache.
  static let application = 0x5444_4d4b

  static func check(version found: Int, path: String) throws {
    if found > version { throw StorageError.newerSchema(found: found, supported: version, path) }
  }

  /// Marks the file as the cache's own, and creates missing tables.
  static func prepare(_ db: Database, path: String, maximumBytes: Int) throws {
    try check(db, path: path)
    try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
    try db.execute(sql: "PRAGMA journal_mode = WAL")
    try db.execute(sql: "PRAGMA synchronous = NORMAL")
    try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096
    let pages = max(maximumBytes / pageSize, 32)
    try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    try db.inTransaction(.immediate) {
      if try userVersion(db) == 0 {
        try db.execute(sql: tables)
        try db.execute(sql: "PRAGMA application_id = \(application)")
        try db.execute(sql: "PRAGMA user_version = \(version)")
      }
      return .commit
    }
  }

  static func check(_ db: Database, path: String) throws {
    try check(version: try userVersion(db), path: path)
    let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let tables = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
    if tables > 0, owner != application {
      throw StorageError.failed("\(path) is a database of another program; give another path")
    }
  }

  static func checkIntegrity(_ db: Database) throws {
    let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    if let answer, answer != "ok" {
      throw DatabaseError.corruption(answer)
    }
  }

  /// Returns the bytes of pages in use.
  static func usedBytes(_ db: Database) throws -> Int {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    return (pages - free) * size
  }

  private static func userVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  /// Entities have row numbers, since the pages of a table without row numbers are only a fifth full with
  /// values of a kilobyte.
  ///
  /// Identifiers are 16 bytes, big-endian; unsigned numbers are stored as signed ones with the same bits;
  /// times are nanoseconds since 1970. Libraries and streams have the store's numbers. A bulk token is one
  /// byte for whether it came from a stream, and eight bytes for its number.
  private static let tables = """
    CREATE TABLE entities (
      number INTEGER PRIMARY KEY, type INTEGER NOT NULL, id BLOB NOT NULL,
      clock INTEGER NOT NULL, device INTEGER NOT NULL, library INTEGER,
      verification INTEGER NOT NULL, written_at INTEGER NOT NULL, payload BLOB,
      UNIQUE (type, id));
    CREATE TABLE queries (
      number INTEGER PRIMARY KEY, library BLOB NOT NULL, method INTEGER NOT NULL,
      input BLOB NOT NULL, has_more INTEGER NOT NULL, is_sorted INTEGER NOT NULL,
      is_tagged INTEGER NOT NULL, fetched_at INTEGER NOT NULL, last_read_at INTEGER NOT NULL,
      place_stream INTEGER, place_epoch INTEGER, place_sequence INTEGER,
      verification INTEGER NOT NULL, is_stale INTEGER NOT NULL,
      stale_stream INTEGER, stale_epoch INTEGER, stale_sequence INTEGER,
      UNIQUE (library, method, input));
    CREATE TABLE query_members (
      query INTEGER NOT NULL, position INTEGER NOT NULL, type INTEGER NOT NULL, id BLOB NOT NULL,
      PRIMARY KEY (query, position)) WITHOUT ROWID;
    CREATE TABLE streams (
      number INTEGER PRIMARY KEY, library BLOB NOT NULL, source INTEGER NOT NULL,
      cursor_epoch INTEGER NOT NULL, cursor_sequence INTEGER NOT NULL,
      baseline_epoch INTEGER NOT NULL, baseline_sequence INTEGER NOT NULL,
      known INTEGER NOT NULL);
    CREATE TABLE libraries (
      number INTEGER PRIMARY KEY, id BLOB NOT NULL, verification INTEGER NOT NULL,
      verified_stream INTEGER, verified_epoch INTEGER, verified_sequence INTEGER,
      unplaced_verification INTEGER NOT NULL, query_floor INTEGER NOT NULL,
      entity_floor INTEGER NOT NULL, bulk_tokens BLOB NOT NULL);
    CREATE TABLE notices (
      library INTEGER NOT NULL, position INTEGER NOT NULL, number INTEGER NOT NULL,
      location BLOB, type INTEGER, method INTEGER,
      PRIMARY KEY (library, position)) WITHOUT ROWID;
    CREATE TABLE outbox (
      position INTEGER PRIMARY KEY, token BLOB NOT NULL, library BLOB NOT NULL,
      edits BLOB NOT NULL);
    CREATE TABLE meta (
      id INTEGER PRIMARY KEY CHECK (id = 1), app_schema_version INTEGER NOT NULL,
      verifications INTEGER NOT NULL, holds_unowned INTEGER NOT NULL,
      forgotten_clock INTEGER NOT NULL, forgotten_device INTEGER NOT NULL);
    """
}

extension StorageError {
  /// Converts an error of a file to the cache's type.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StorageError:
      self = error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path, keptAside: nil)
      case .SQLITE_FULL: self = .full(path)
      case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path)
      default: self = .failed("\(path): \(error.message ?? error.description)")
      }
    default:
      self = .failed("\(path): \(error)")
    }
  }
}
