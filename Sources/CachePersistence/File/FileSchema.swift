import GRDB
import NormalizedCache

/// The tables, and the version that tells programs whether they know them.
enum FileSchema {
  static let version = 1
  /// "TDMK", so that a file of another program is not taken for a cache.
  static let application = 0x5444_4d4b

  /// - Throws: ``StorageError/newerSchema(found:supported:_:)``.
  static func check(version found: Int, path: String) throws {
    if found > version { throw StorageError.newerSchema(found: found, supported: version, path) }
  }

  /// Makes the connection the file's owner, and the tables if there are none.
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

  /// - Throws: where the file is of a newer program, or of another one.
  static func check(_ db: Database, path: String) throws {
    try check(version: try userVersion(db), path: path)
    let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let tables = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
    if tables > 0, owner != application {
      throw StorageError.failed("\(path) is a database of another program; give another path")
    }
  }

  /// - Throws: a ``DatabaseError`` of corruption where a page or an index is not as it should be.
  static func checkIntegrity(_ db: Database) throws {
    let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    if let answer, answer != "ok" {
      throw DatabaseError.corruption(answer)
    }
  }

  /// The bytes of pages that hold something.
  static func usedBytes(_ db: Database) throws -> Int {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    return (pages - free) * size
  }

  private static func userVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  /// Entities have row numbers, since the pages of a table without them hold a value of a kilobyte
  /// at a fifth of their capacity.
  ///
  /// Identifiers are 16 bytes, big-endian; unsigned numbers are stored bit by bit as signed ones; times
  /// are nanoseconds since 1970. Libraries and streams are numbered as the store numbers them. A bulk
  /// token is a byte that says whether a stream announced it, and eight of its number.
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
