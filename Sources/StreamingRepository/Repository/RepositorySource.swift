import CacheModel
public import GRDB

/// The source of a collection: the server, which has the authoritative data.
public protocol RepositorySource<Row>: Sendable {
  associatedtype Row: RepositoryRow

  /// Returns the complete collection of an account, as the server has it now.
  ///
  /// Called for every request, on any thread, and cancelled when the answer is no longer needed. Of several
  /// rows with one identifier the last counts.
  ///
  /// - Parameter account: the account passed to ``StreamingRepository/logIn(_:)``.
  /// - Returns: every row; missing rows are deleted.
  /// - Throws: any error; it reaches waiting callers as ``RepositoryError/source(_:)``.
  func fetchAll(for account: String) async throws -> [Row]
}

/// A source without the type of its rows.
struct AnySource: Sendable {
  let name: TextKey
  let define: @Sendable (TableBlueprint) throws -> TableBlueprint.Shape
  /// Fetches the complete collection, encoded for the columns of its table.
  let fetch: @Sendable (String, RowTable, Int) async throws(RepositoryError) -> EncodedRows

  init<Source: RepositorySource>(_ source: Source) {
    name = TextKey(Source.Row.databaseTableName)
    define = { try $0.shape(of: Source.Row.self) }
    fetch = { account, table, maximumRows async throws(RepositoryError) in
      let rows: [Source.Row]
      do {
        rows = try await source.fetchAll(for: account)
      } catch let error as RepositoryError {
        throw error
      } catch {
        throw .source(error)
      }
      guard rows.count <= maximumRows else {
        throw .invalidAnswer("\(table.name): \(rows.count) rows, of at most \(maximumRows)")
      }
      return try EncodedRows(rows, in: table)
    }
  }
}

/// A row of a collection, which is a table of the file.
///
/// A `Codable` type only needs to define its columns:
///
/// ```swift
/// struct Link: Codable, RepositoryRow {
///   var id: String
///   var name: String
///   var target: String
///
///   static func defineColumns(in table: TableDefinition) {
///     table.column("name", .text).notNull().indexed()
///     table.column("target", .text).notNull()
///   }
/// }
/// ```
///
/// The repository defines the `id` column, and one for the account: each account has its own rows. Rows are
/// equal if a view shows the same for both. If a new version of the app defines other columns, the table is
/// recreated empty and fetched again.
public protocol RepositoryRow: FetchableRecord, EncodableRecord, TableRecord, Identifiable,
  Equatable, Sendable
where ID: DatabaseValueConvertible & Sendable {
  /// Defines the columns except `id`; without a primary key, which the repository defines too.
  static func defineColumns(in table: TableDefinition)
}

/// The visible effect of a change before the server has answered.
public enum RepositoryEdit<Row: RepositoryRow>: Sendable {
  /// Shows a row, new or replacing the one with its identifier.
  case put(Row)
  /// Hides the row with this identifier.
  case remove(Row.ID)
}
