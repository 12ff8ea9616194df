import CacheModel
import GRDB

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
