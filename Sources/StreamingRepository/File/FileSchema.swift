import CacheModel
import Foundation
import GRDB

/// Whose file it is, and which tables it has.
enum FileSchema {
  static let version = 1
  /// "TDMR", so that a file of another program is not taken for a repository's.
  static let application = 0x5444_4d52

  /// Makes the tables what the sources want.
  ///
  /// - Throws: where the file is damaged.
  static func prepare(
    _ db: Database, shapes: [(name: TextKey, shape: TableBlueprint.Shape)]
  ) throws {
    let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    if let answer, answer != "ok" {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer)
    }
    try db.execute(sql: "PRAGMA application_id = \(application)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS tidemark_session (
          number INTEGER PRIMARY KEY CHECK (number = 1), account TEXT);
        INSERT OR IGNORE INTO tidemark_session VALUES (1, NULL);
        CREATE TABLE IF NOT EXISTS tidemark_tables (name TEXT PRIMARY KEY);
        """)
    try drop(besides: shapes.map(\.name), in: db)
    for (name, shape) in shapes.map({ ($0.name.text, $0.shape) }) {
      let stored = try TableBlueprint.statements(of: name, in: db)
      if stored.map({ TextKey($0) }) == shape.statements.map({ TextKey($0) }) { continue }
      try db.execute(sql: "DROP TABLE IF EXISTS \(name.quotedDatabaseIdentifier)")
      for statement in shape.statements { try db.execute(sql: statement) }
      try db.execute(sql: "INSERT OR IGNORE INTO tidemark_tables VALUES (?)", arguments: [name])
    }
  }

  /// Tables that no source fills would keep rows after a logout.
  private static func drop(besides names: [TextKey], in db: Database) throws {
    let stored = try String.fetchAll(db, sql: "SELECT name FROM tidemark_tables ORDER BY name")
    for name in stored where !names.contains(TextKey(name)) {
      try db.execute(sql: "DROP TABLE IF EXISTS \(name.quotedDatabaseIdentifier)")
      try db.execute(sql: "DELETE FROM tidemark_tables WHERE name = ?", arguments: [name])
    }
  }

  /// Looks whose file it is, without a change to it.
  ///
  /// - Throws: where it is another program's, or a newer one's.
  static func checkOwner(path: String, configuration: Configuration) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    var configuration = configuration
    configuration.readonly = true
    let database = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? database.close() }
    try database.read { try checkOwner($0, path: path) }
  }

  private static func checkOwner(_ db: Database, path: String) throws {
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let tables = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
    guard tables == 0 || owner == application else {
      throw RepositoryError.file(
        path: path, "it is a database of another program; give another path")
    }
    guard found <= version else {
      throw RepositoryError.file(
        path: path,
        "it has schema \(found), and this program knows \(version); update it, or give another path"
      )
    }
  }
}
