import CacheModel
import GRDB

/// The table of a collection, and the statements that change it.
///
/// The server's rows are at layer 0; pending changes are above, each at its own layer. A view shows the
/// topmost row of each identifier, unless that is marked as removed. So an answer writes below pending
/// changes, and a change is undone by deleting its layer.
struct RowTable: Sendable {
  static let account = "tidemark_account"
  static let layer = "tidemark_layer"
  static let isRemoved = "tidemark_removed"
  static let id = "id"

  let name: String
  /// The columns of a row, including `id`.
  let columns: [String]
  private let idIndex: Int
  private let upsert: String
  private let rewrite: String
  private let remove: String
  private let quoted: String

  init(name: String, columns: [String]) {
    self.name = name
    self.columns = columns
    idIndex = columns.firstIndex(of: Self.id) ?? 0
    quoted = name.quotedDatabaseIdentifier
    let names = columns.map(\.quotedDatabaseIdentifier)
    let changing = [Self.isRemoved] + names.filter { $0 != Self.id.quotedDatabaseIdentifier }
    let all = ([Self.account, Self.layer, Self.isRemoved] + names).joined(separator: ", ")
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let key = "(\(Self.account), \(Self.id), \(Self.layer))"
    let taken = changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let stored = changing.joined(separator: ", ")
    let excluded = changing.map { "excluded.\($0)" }.joined(separator: ", ")
    upsert = """
      INSERT INTO \(quoted) (\(all)) VALUES (?, ?, FALSE, \(marks))
      ON CONFLICT \(key) DO UPDATE SET \(taken) WHERE (\(stored)) IS NOT (\(excluded))
      """
    rewrite = """
      UPDATE \(quoted) SET \(changing.map { "\($0) = \($0)" }.joined(separator: ", "))
      WHERE \(Self.account) = ? AND \(Self.id) = ? AND \(Self.layer) = 0
      """
    remove = """
      INSERT INTO \(quoted) (\(all))
      SELECT \(Self.account), ?, TRUE, \(names.joined(separator: ", ")) FROM \(quoted)
      WHERE \(Self.account) = ? AND \(Self.id) = ? ORDER BY \(Self.layer) DESC LIMIT 1
      ON CONFLICT \(key) DO UPDATE SET \(Self.isRemoved) = TRUE
      """
  }

  /// Returns a request for the visible rows of the current account.
  static func shown<Row: RepositoryRow>(_ type: Row.Type) -> QueryInterfaceRequest<Row> {
    let table = Row.databaseTableName.quotedDatabaseIdentifier
    return Row.filter(
      sql: """
        \(table).\(account) = (SELECT account FROM tidemark_session)
        AND NOT \(table).\(isRemoved)
        AND NOT EXISTS (SELECT 1 FROM \(table) AS tidemark_above
          WHERE tidemark_above.\(account) = \(table).\(account)
          AND tidemark_above.\(id) = \(table).\(id)
          AND tidemark_above.\(layer) > \(table).\(layer))
        """)
  }

  // MARK: Server state

  /// Makes an account's rows equal to an answer's.
  func write(
    _ rows: EncodedRows, of account: String, options: RepositoryOptions, to db: Database
  ) throws -> RowCounts {
    var counts = RowCounts()
    let stored = try DatabaseValue.fetchCursor(
      db, sql: "SELECT \(Self.id) FROM \(quoted) WHERE \(Self.account) = ? AND \(Self.layer) = 0",
      arguments: [account])
    var gone: Set<StoredID> = []
    while let id = try stored.next() { gone.insert(StoredID(id)) }
    var added: Set<StoredID> = []
    let upserting = try db.cachedStatement(sql: upsert)
    let rewriting = try db.cachedStatement(sql: rewrite)
    let fixed = [account.databaseValue, 0.databaseValue]
    for start in stride(from: 0, to: rows.values.count, by: columns.count) {
      let id = rows.values[start + idIndex]
      let isKnown = gone.remove(StoredID(id)) != nil || added.contains(StoredID(id))
      upserting.setUncheckedArguments(
        StatementArguments(fixed + rows.values[start..<start + columns.count]))
      try upserting.execute()
      if db.changesCount == 0 {
        counts.unchanged += 1
        guard options.rewritesUnchangedRows else { continue }
        try rewriting.execute(arguments: [account, id])
        counts.rewritten += 1
      } else if isKnown {
        counts.updated += 1
      } else {
        counts.inserted += 1
        added.insert(StoredID(id))
      }
    }
    if options.writeMode == .replace { counts.deleted = try delete(gone, of: account, in: db) }
    return counts
  }

  private func delete(
    _ gone: Set<StoredID>, of account: String, in db: Database
  ) throws -> Int {
    guard !gone.isEmpty else { return 0 }
    let deleting = try db.cachedStatement(
      sql: """
        DELETE FROM \(quoted)
        WHERE \(Self.account) = ? AND \(Self.id) = ? AND \(Self.layer) = 0
        """)
    for id in gone { try deleting.execute(arguments: [account, id.value]) }
    return gone.count
  }

  func clear(_ account: String, in db: Database) throws {
    try db.execute(
      sql: "DELETE FROM \(quoted) WHERE \(Self.account) = ?", arguments: [account])
  }

  // MARK: Pending changes

  func put(_ rows: EncodedRows, of account: String, at layer: Int, in db: Database) throws {
    let upserting = try db.cachedStatement(sql: upsert)
    let fixed = [account.databaseValue, layer.databaseValue]
    for start in stride(from: 0, to: rows.values.count, by: columns.count) {
      try upserting.execute(
        arguments: StatementArguments(fixed + rows.values[start..<start + columns.count]))
    }
  }

  func remove(_ id: DatabaseValue, of account: String, at layer: Int, in db: Database) throws {
    try db.execute(sql: remove, arguments: [layer, account, id])
  }

  /// Deletes a layer; `nil`: all of them.
  func removeLayer(_ layer: Int?, in db: Database) throws {
    let condition = layer.map { "\(Self.layer) = \($0) AND " } ?? ""
    try db.execute(sql: "DELETE FROM \(quoted) WHERE \(condition)\(Self.layer) > 0")
  }
}

/// Determines the table of a row type, by a database in memory.
final class TableBlueprint: Sendable {
  struct Shape: Hashable, Sendable {
    var statements: [String]
    /// The columns of a row, without the account.
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
      // Pending rows are found without reading the others.
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

  /// Returns the statements that created a table; none if it does not exist.
  static func statements(of name: String, in db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL
        ORDER BY type = 'index', name
        """, arguments: [name])
  }
}

/// Rows as values for the columns of a table, row after row.
struct EncodedRows: Sendable {
  private(set) var values: [DatabaseValue] = []
  private(set) var count = 0
  /// The approximate size of the values in a file, in bytes.
  private(set) var bytes = 0

  /// Encodes rows.
  ///
  /// - Throws: ``RepositoryError/invalidAnswer(_:)`` if a row does not fit its table.
  init<Row: RepositoryRow>(_ rows: [Row], in table: RowTable) throws(RepositoryError) {
    values.reserveCapacity(rows.count * table.columns.count)
    for row in rows {
      let encoded: [String: DatabaseValue]
      do {
        encoded = try row.databaseDictionary
      } catch {
        throw .invalidAnswer("\(table.name): a row cannot be encoded: \(error)")
      }
      try append(encoded, in: table)
    }
  }

  private mutating func append(
    _ row: [String: DatabaseValue], in table: RowTable
  ) throws(RepositoryError) {
    var found = 0
    for column in table.columns {
      let value = try table.storable(row[column] ?? .null, in: column)
      if row[column] != nil { found += 1 }
      values.append(value)
      bytes += value.storedBytes
    }
    guard found == row.count else {
      let unknown = row.keys.filter { !table.columns.contains($0) }.sorted()
      throw .invalidAnswer(
        "\(table.name) has no column \(unknown.joined(separator: ", ")); define it in defineColumns"
      )
    }
    guard row[RowTable.id].map({ !$0.isNull }) == true else {
      throw .invalidAnswer("\(table.name): a row has no id")
    }
    count += 1
  }
}

extension DatabaseValue {
  fileprivate var storedBytes: Int {
    switch storage {
    case .null: 0
    case .int64, .double: 8
    case .string(let text): text.utf8.count
    case .blob(let data): data.count
    }
  }
}

enum EncodedEdit: Sendable {
  case put(table: TextKey, EncodedRows)
  case remove(table: TextKey, id: DatabaseValue)
}

/// The identifier of a row, equal to another if SQLite treats them as one: text by its bytes.
///
/// GRDB's own values compare text as Swift does.
struct StoredID: Hashable {
  let value: DatabaseValue

  init(_ value: some DatabaseValueConvertible) { self.value = value.databaseValue }

  static func == (lhs: StoredID, rhs: StoredID) -> Bool {
    lhs.text == rhs.text && lhs.value == rhs.value
  }

  func hash(into hasher: inout Hasher) {
    if let text { hasher.combine(text) } else { hasher.combine(value) }
  }

  private var text: TextKey? {
    if case .string(let text) = value.storage { TextKey(text) } else { nil }
  }
}

extension RowTable {
  /// Returns a value for a column, if the file can store all of it.
  ///
  /// - Throws: ``RepositoryError/invalidAnswer(_:)`` about text with a NUL character: SQLite ends it there,
  ///   so two identifiers would become one.
  func storable(
    _ value: DatabaseValue, in column: String
  ) throws(RepositoryError) -> DatabaseValue {
    if case .string(let text) = value.storage, text.utf8.contains(0) {
      throw .invalidAnswer(
        "\(name): \(column) of a row contains a NUL character, which the file cannot hold; leave it out"
      )
    }
    return value
  }
}
