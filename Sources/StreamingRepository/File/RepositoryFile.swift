import CacheModel
import GRDB

/// The file of a repository: does the operations of its store, each in one transaction.
final class RepositoryFile: Sendable {
  typealias Operation = RepositoryOperation<TextKey, TextKey, EncodedRows>

  let path: String
  let pool: DatabasePool
  let tables: [TextKey: RowTable]
  private let options: RepositoryOptions
  private let committed: @Sendable (TextKey) -> Void

  /// Opens a file, or begins a new one, and makes its tables what the sources want.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - sources: one for each table.
  ///   - options: ways to write, and limits.
  ///   - committed: called on the thread that writes, with a table, when a write to it is in the file.
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

  /// The account that the file shows.
  func shownAccount() throws -> TextKey? {
    try pool.read { db in
      try String.fetchOne(db, sql: "SELECT account FROM tidemark_session").map { TextKey($0) }
    }
  }

  /// Does an operation, whole or not at all.
  ///
  /// - Parameters:
  ///   - operation: what the store wants.
  ///   - edits: those of the change that the operation shows.
  /// - Returns: what came of it. A task that is cancelled may find it cancelled though it was done; doing it again
  ///   changes nothing more.
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
