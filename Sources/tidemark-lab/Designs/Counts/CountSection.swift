import Reporting

/// A question and its table.
struct CountSection {
  let title: String
  let table: TextTable

  init(_ title: String, columns: [String], rows: [[String]]) {
    self.title = title
    var table = TextTable(
      columns: columns.enumerated().map { .init($1, $0 == 0 ? .left : .right) })
    for row in rows { table.append(row) }
    self.table = table
  }
}
