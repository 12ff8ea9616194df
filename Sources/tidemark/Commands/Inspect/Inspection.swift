import Reporting
import Text
import TraceReplay

/// What an input is like, in figures.
struct Inspection {
  /// What kind of input it is; the first column of CSV.
  var kind: String
  var name: String
  var figures: [Figure] = []
  /// Figures of several things of one sort.
  var tables: [Table] = []

  struct Figure {
    typealias Value = TraceSummary.Row.Value

    var name: String
    var value: Value
    /// Empty for a share and a bare number.
    var unit = ""
    /// How it is to be read.
    var note = ""
  }

  /// A row for each thing, a column for each figure.
  struct Table {
    /// What a row is about.
    var name: String
    /// How a program, and how a person reads what a column holds.
    var columns: [(figure: String, title: String)]
    var rows: [(name: String, values: [Figure.Value?])]
  }

  /// So many rows of a table a person is shown.
  private static let shownRows = 20
  /// No line of a table is longer, but for a name.
  private static let width = 80

  /// - Parameter format: how the figures are written.
  /// - Returns: the bytes of a file.
  /// - Throws: what the JSON writer throws.
  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv:
      return try CSVWriter.table(
        of: allFigures.map {
          [
            JSONMember(kind, .string(name)), JSONMember("figure", .string($0.name)),
            JSONMember("value", $0.value.json), JSONMember("unit", .string($0.unit)),
            JSONMember("note", .string($0.note)),
          ]
        })
    case .json:
      let members = allFigures.map { JSONMember($0.name, $0.value.json) }
      return try JSONWriter.document(.object([JSONMember(kind, .string(name))] + members))
    case .table:
      let shown = tables.filter { !$0.rows.isEmpty }.map { "\n" + Self.text($0) }
      return Console.legible(figuresText + shown.joined())
    }
  }

  /// Those of the tables, too, as a program reads them.
  private var allFigures: [Figure] {
    figures
      + tables.flatMap { table in
        table.rows.flatMap { row in
          zip(table.columns, row.values).compactMap { column, value in
            value.map { Figure(name: "\(table.name).\(row.name).\(column.figure)", value: $0) }
          }
        }
      }
  }

  private var figuresText: String {
    let longest = (
      name: figures.map(\.name.count).max() ?? 0, value: figures.map(\.value.text.count).max() ?? 0,
      unit: figures.map(\.unit.count).max() ?? 0
    )
    let title = name.count <= 16 ? name : "value"
    let taken =
      max(longest.name, 6) + max(longest.value, title.count) + max(longest.unit, 4) + 6
    var table = TextTable(
      columns: [
        .init("figure", .left), .init(title, .right), .init("unit", .left), .init("note", .left),
      ])
    for figure in figures {
      let notes = Self.lines(of: figure.note, width: max(20, Self.width - taken))
      table.append([figure.name, figure.value.text, figure.unit, notes[0]])
      for note in notes.dropFirst() { table.append(["", "", "", note]) }
    }
    return (title == name ? "" : name + "\n") + table.terminal(style: Console.style)
  }

  private static func text(_ table: Table) -> String {
    var text = TextTable(
      columns: [.init(table.name, .left)] + table.columns.map { .init($0.title, .right) })
    for row in table.rows.prefix(shownRows) {
      text.append([row.name] + row.values.map { $0?.text ?? "" })
    }
    let rest = table.rows.count - shownRows
    return text.withoutEmptyColumns().terminal(style: Console.style)
      + (rest > 0 ? "and \(HumanNumber.count(Double(rest))) more; --format csv has all\n" : "")
  }

  /// A note broken at spaces; one line at least.
  private static func lines(of note: String, width: Int) -> [String] {
    var lines = [""]
    for word in note.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Inspection.Figure.Value {
  fileprivate var json: JSONValue {
    switch self {
    case .count(let count): .integer(count)
    case .real(let value), .share(let value): .real(value)
    }
  }

  fileprivate var text: String {
    switch self {
    case .count(let count): HumanNumber.count(Double(count))
    case .share(let share): HumanNumber.percent(share)
    case .real(let value): HumanNumber.fixed(value, decimals: value < 100 ? 3 : 0)
    }
  }
}

extension Inspection {
  /// What a trace is like.
  init(_ summary: TraceSummary) {
    kind = "trace"
    name = summary.name
    figures = summary.rows.map {
      Figure(name: $0.name, value: $0.value, unit: $0.unit, note: $0.note)
    }
  }
}
