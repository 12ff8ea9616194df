import CacheModel
import GRDB

/// The identifier of a row, equal to another if SQLite takes the two for one: texts by their bytes.
///
/// GRDB's own values compare texts as Swift does.
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
  /// A value for a column, if the file can hold all of it.
  ///
  /// - Throws: ``RepositoryError/invalidAnswer(_:)`` about a text with a NUL character: SQLite ends it there, so two
  ///   identifiers would be one.
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
