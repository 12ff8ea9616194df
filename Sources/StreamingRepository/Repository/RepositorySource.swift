import CacheModel
public import GRDB

/// Where a collection comes from: the server, which is the only truth.
public protocol RepositorySource<Row>: Sendable {
  associatedtype Row: RepositoryRow

  /// The whole collection of an account, as the server has it now.
  ///
  /// Called again for every request, from any thread, and cancelled when the answer is no longer wanted. Of two
  /// rows of one identifier the last counts.
  ///
  /// - Parameter account: as it was handed to ``StreamingRepository/logIn(_:)``.
  /// - Returns: every row; a row that is missing is deleted.
  /// - Throws: anything; it reaches who waits for the rows, as ``RepositoryError/source(_:)``.
  func fetchAll(for account: String) async throws -> [Row]
}

/// A source without the type of its rows.
struct AnySource: Sendable {
  let name: TextKey
  let define: @Sendable (TableBlueprint) throws -> TableBlueprint.Shape
  /// The whole collection, as the columns of its table want it.
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
/// A type that is `Codable` conforms with its columns alone:
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
/// Its `id` is a column that the repository defines, and so is whose row it is: an account's rows are its own. A
/// row is equal to another if a view shows the same of both. When a new version of the app defines other
/// columns, the table is made again, empty, since the server has what was in it.
public protocol RepositoryRow: FetchableRecord, EncodableRecord, TableRecord, Identifiable,
  Equatable, Sendable
where ID: DatabaseValueConvertible & Sendable {
  /// Defines the columns besides `id`; without a primary key, which the repository defines too.
  static func defineColumns(in table: TableDefinition)
}

/// What a change does to what views show, before the server has answered.
public enum RepositoryEdit<Row: RepositoryRow>: Sendable {
  /// Shows a row instead of the one of its identifier, or as a new one.
  case put(Row)
  /// Shows no row of this identifier.
  case remove(Row.ID)
}
