/// Columns of text behind those that every result has.
package struct AddedColumns: Hashable, Sendable {
  package var names: [String]
  /// One cell for each name, of each row; a row without cells has empty ones.
  package var cells: [[String]]

  package init(names: [String], cells: [[String]]) {
    self.names = names
    self.cells = cells
  }

  /// The cells of a row, as many as there are names.
  package func cells(ofRow row: Int) -> [String] {
    let own = cells.indices.contains(row) ? cells[row] : []
    return names.indices.map { own.indices.contains($0) ? own[$0] : "" }
  }
}
