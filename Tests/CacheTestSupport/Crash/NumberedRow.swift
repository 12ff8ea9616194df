package import GRDB
import StreamingRepository

/// A row of a story that a process tells to a streaming repository until it is killed.
///
/// All rows of an answer bear its number, and it tells how many they are.
package struct NumberedRow: Codable, RepositoryRow {
  package var id: Int
  package var number: UInt64
  package var text: String

  package static func defineColumns(in table: TableDefinition) {
    table.column("number", .integer).notNull()
    table.column("text", .text).notNull()
  }

  /// What a change shows that no server answers.
  package static let pending = NumberedRow(id: -1, number: 0, text: "pending")

  package static func account(of number: UInt64) -> String { "account \(number % 2)" }

  /// Whether the account logs out under this number, which has no rows then.
  package static func isLogout(_ number: UInt64) -> Bool { number % 16 >= 14 }

  package static func all(of number: UInt64) -> [NumberedRow] {
    guard !isLogout(number) else { return [] }
    return (0..<(1 + Int(number * 977 % 400))).map { id in
      NumberedRow(
        id: id, number: number, text: String(repeating: "\(number);", count: 1 + id % 10))
    }
  }
}
