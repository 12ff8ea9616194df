import GRDB

/// Finds out how the table of a type of row is made, in a database in memory.
final class TableBlueprint: Sendable {
  /// How a table is made.
  struct Shape: Hashable, Sendable {
    /// Statements that make it, with its indexes.
    var statements: [String]
    /// The columns of a row, without those that say whose it is.
    var columns: [String]
  }

  private let database: DatabaseQueue

  init() throws {
    database = try DatabaseQueue()
  }

  func shape<Row: RepositoryRow>(of type: Row.Type) throws -> Shape {
    let name = Row.databaseTableName
    return try database.write { db in
      try db.create(table: name) { table in
        table.column(RowTable.account, .text).notNull()
        table.column(RowTable.layer, .integer).notNull()
        table.column(RowTable.isRemoved, .boolean).notNull()
        table.column(RowTable.id).notNull()
        Row.defineColumns(in: table)
        table.uniqueKey([RowTable.account, RowTable.id, RowTable.layer])
      }
      // What is pending is found without a look at the other rows.
      try db.execute(
        sql: """
          CREATE INDEX \("tidemark_\(name)".quotedDatabaseIdentifier)
          ON \(name.quotedDatabaseIdentifier) (\(RowTable.layer)) WHERE \(RowTable.layer) > 0
          """)
      let statements = try Self.statements(of: name, in: db)
      let own = [RowTable.account, RowTable.layer, RowTable.isRemoved]
      let columns = try db.columns(in: name).map(\.name).filter { !own.contains($0) }
      return Shape(statements: statements, columns: columns)
    }
  }

  /// The statements that made a table; none where there is no such table.
  static func statements(of name: String, in db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL
        ORDER BY type = 'index', name
        """, arguments: [name])
  }
}
