public import GRDB

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
