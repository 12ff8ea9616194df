import CacheModel
import GRDB

/// Rows as values for the columns of a table, row after row.
struct EncodedRows: Sendable {
  private(set) var values: [DatabaseValue] = []
  private(set) var count = 0
  /// What the values take in a file, about.
  private(set) var bytes = 0

  /// Encodes rows.
  ///
  /// - Throws: ``RepositoryError/invalidAnswer(_:)`` where a row does not fit its table.
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

/// What a change shows above a table.
enum EncodedEdit: Sendable {
  case put(table: TextKey, EncodedRows)
  case remove(table: TextKey, id: DatabaseValue)
}
