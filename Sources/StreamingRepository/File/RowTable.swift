import GRDB

/// The table of a collection, and the statements that change it.
///
/// What the server has lies at layer 0, and changes that wait for it above, each at a layer of its own. A view
/// shows of each identifier the topmost row, unless that is marked as removed. So an answer writes below what
/// is pending, and a change is taken away by deleting its layer.
struct RowTable: Sendable {
  static let account = "tidemark_account"
  static let layer = "tidemark_layer"
  static let isRemoved = "tidemark_removed"
  static let id = "id"

  let name: String
  /// The columns of a row, `id` among them.
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

  /// What a view of the account at hand may show.
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

  // MARK: What the server has

  /// Makes the rows of an account what an answer has.
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

  /// Deletes all rows of an account.
  func clear(_ account: String, in db: Database) throws {
    try db.execute(
      sql: "DELETE FROM \(quoted) WHERE \(Self.account) = ?", arguments: [account])
  }

  // MARK: What is pending

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

  /// Takes a layer away; `nil`: all of them.
  func removeLayer(_ layer: Int?, in db: Database) throws {
    let condition = layer.map { "\(Self.layer) = \($0) AND " } ?? ""
    try db.execute(sql: "DELETE FROM \(quoted) WHERE \(condition)\(Self.layer) > 0")
  }
}
