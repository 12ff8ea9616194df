import CacheModel
import Foundation
import GRDB

/// The file of a repository: performs the store's operations, each in one transaction.
final class RepositoryFile: Sendable {
  typealias Operation = RepositoryOperation<TextKey, TextKey, EncodedRows>

  let path: String
  let pool: DatabasePool
  let tables: [TextKey: RowTable]
  private let options: RepositoryOptions
  private let committed: @Sendable (TextKey) -> Void

  /// Opens or creates a file, and updates its tables for the sources.
  ///
  /// - Throws: a `DatabaseError`, or a ``RepositoryError`` about the file's owner.
  init(
    path: String, sources: [AnySource], options: RepositoryOptions,
    committed: @escaping @Sendable (TextKey) -> Void
  ) throws {
    self.path = path
    self.options = options
    self.committed = committed
    let blueprint = try TableBlueprint()
    let shapes = try sources.map { (name: $0.name, shape: try $0.define(blueprint)) }
    tables = Dictionary(
      uniqueKeysWithValues: shapes.map {
        ($0.name, RowTable(name: $0.name.text, columns: $0.shape.columns))
      })
    let configuration = Self.configuration(options)
    try FileSchema.checkOwner(path: path, configuration: configuration)
    pool = try DatabasePool(path: path, configuration: configuration)
    do {
      try pool.write { db in
        try FileSchema.prepare(db, shapes: shapes)
        for table in tables.values { try table.removeLayer(nil, in: db) }
      }
    } catch {
      try? pool.close()
      throw error
    }
  }

  private static func configuration(_ options: RepositoryOptions) -> Configuration {
    var configuration = Configuration()
    configuration.label = "tidemark.repository"
    let (seconds, attoseconds) = options.busyTimeout.components
    configuration.busyMode = .timeout(Double(seconds) + Double(attoseconds) / 1e18)
    configuration.prepareDatabase { db in
      guard !db.configuration.readonly else { return }
      let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096
      try db.execute(sql: "PRAGMA max_page_count = \(max(options.maximumBytes / pageSize, 32))")
      try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
    }
    return configuration
  }

  func shownAccount() throws -> TextKey? {
    try pool.read { db in
      try String.fetchOne(db, sql: "SELECT account FROM tidemark_session").map { TextKey($0) }
    }
  }

  /// Carries out an operation atomically.
  ///
  /// - Returns: its result. A cancelled task may report a cancellation although the operation was done;
  ///   repeating it has no further effect.
  func perform(_ operation: Operation, edits: [EncodedEdit]) async -> OperationResult {
    do {
      return try await pool.write { try self.perform(operation, edits: edits, in: $0) }
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed(RepositoryError(error, path: path))
    }
  }

  private func perform(
    _ operation: Operation, edits: [EncodedEdit], in db: Database
  ) throws -> OperationResult {
    switch operation {
    case .logIn(let account): try show(account.text, in: db)
    case .logOut(let account):
      for table in tables.values { try table.clear(account.text, in: db) }
      try show(nil, in: db)
    case .write(let name, let account, let rows, let settling):
      guard let table = tables[name] else { throw RepositoryError.unknownCollection(name.text) }
      let counts = try table.write(rows, of: account.text, options: options, to: db)
      for change in settling { try table.removeLayer(change.rawValue, in: db) }
      db.afterNextTransaction { [committed] _ in committed(name) }
      return .written(counts)
    case .show(let change, let account):
      for edit in edits {
        switch edit {
        case .put(let name, let rows):
          try tables[name]?.put(rows, of: account.text, at: change.rawValue, in: db)
        case .remove(let name, let id):
          try tables[name]?.remove(id, of: account.text, at: change.rawValue, in: db)
        }
      }
    case .hide(let change, _):
      for table in tables.values { try table.removeLayer(change.rawValue, in: db) }
    }
    return .done
  }

  private func show(_ account: String?, in db: Database) throws {
    try db.execute(sql: "UPDATE tidemark_session SET account = ?", arguments: [account])
  }
}

/// The file's owner, and its tables.
enum FileSchema {
  static let version = 1
  /// "TDMR", so that another program's file is not mistaken for a repository's.
  static let application = 0x5444_4d52

  /// Updates the tables for the sources.
  ///
  /// - Throws: an error if the file is damaged.
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

  /// Tables without a source would keep rows after a logout.
  private static func drop(besides names: [TextKey], in db: Database) throws {
    let stored = try String.fetchAll(db, sql: "SELECT name FROM tidemark_tables ORDER BY name")
    for name in stored where !names.contains(TextKey(name)) {
      try db.execute(sql: "DROP TABLE IF EXISTS \(name.quotedDatabaseIdentifier)")
      try db.execute(sql: "DELETE FROM tidemark_tables WHERE name = ?", arguments: [name])
    }
  }

  /// Checks the file's owner without changing it.
  ///
  /// - Throws: an error if it belongs to another program, or a newer version.
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

/// A file that SQLite cannot use.
enum DamagedFile {
  /// Renames a file, with its log, to the first free name, so that a new one can be created.
  ///
  /// - Throws: an error if it cannot be renamed, or a thousand such files exist.
  static func keepAside(_ path: String) throws -> String {
    let files = FileManager.default
    let free = (1...1_000).lazy.map { "\(path).damaged-\($0)" }
      .first { !files.fileExists(atPath: $0) }
    guard let free else { throw CocoaError(.fileWriteFileExists) }
    try files.moveItem(atPath: path, toPath: free)
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try files.moveItem(atPath: path + suffix, toPath: free + suffix)
    }
    return free
  }
}

extension RepositoryError {
  /// Converts an error of a file to the repository's type.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as RepositoryError: self = error
    case let error as DatabaseError:
      let message = error.message ?? error.description
      switch error.resultCode {
      case .SQLITE_FULL: self = .full(path: path)
      case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path)
      case .SQLITE_CONSTRAINT: self = .invalidAnswer(message)
      case .SQLITE_CANTOPEN:
        self = .file(path: path, "\(message); give it a folder that is there and can be written")
      default: self = .file(path: path, message)
      }
    default: self = .file(path: path, "\(error)")
    }
  }
}
