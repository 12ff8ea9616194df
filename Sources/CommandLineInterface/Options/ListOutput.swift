package import ArgumentParser
import Reporting
import Text

/// The form of a list on standard output.
package struct ListOutput: ParsableArguments {
  package enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json
  }

  @Option(help: "table, or json for scripts.")
  package var format: Format = .table

  package init() {}

  /// Writes a table of texts: as it is, or as one object for each row.
  package func write(columns: [String], rows: [[String]]) throws {
    switch format {
    case .table:
      var table = TextTable(columns: columns.map { TextTable.Column($0) })
      for row in rows { table.append(row) }
      try Console.write(table.terminal(style: Console.style))
    case .json:
      let objects = rows.map { row in
        JSONValue.object(zip(columns, row).map { JSONMember($0, .string($1)) })
      }
      try Console.write(JSONWriter.document(.array(objects)))
    }
  }
}
