package import ArgumentParser
import Reporting
import Text

/// The form of a list on standard output.
package struct ListOutput: ParsableArguments {
  package enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, markdown
  }

  @Option(help: "table, json for scripts, or markdown for documents.")
  package var format: Format = .table

  package init() {}

  /// Writes a table of texts: as it is, or as one object for each row.
  package func write(columns: [String], rows: [[String]]) throws {
    var table = TextTable(columns: columns.map { TextTable.Column($0) })
    for row in rows { table.append(row) }
    switch format {
    case .table: try Console.write(table.terminal(style: Console.style))
    case .markdown: try Console.write(table.markdown())
    case .json:
      let objects = rows.map { row in
        JSONValue.object(zip(columns, row).map { JSONMember($0, .string($1)) })
      }
      try Console.write(JSONWriter.document(.array(objects)))
    }
  }
}
