import Text

package struct Inspection {
  /// The kind of input; the first column of CSV.
  package var kind: String
  package var name: String
  package var figures: [Figure] = []
  /// Figures of several similar things.
  package var tables: [Table] = []

  package struct Figure {
    package enum Value {
      case count(Int)
      case real(Double)
      /// A share, 0 to 1.
      case share(Double)
    }

    package var name: String
    package var value: Value
    /// Empty for a share or a plain number.
    package var unit: String
    package var note: String

    package init(name: String, value: Value, unit: String = "", note: String = "") {
      self.name = name
      self.value = value
      self.unit = unit
      self.note = note
    }
  }

  /// A row for each thing, a column for each figure.
  package struct Table {
    /// The subject of a row.
    package var name: String
    /// The machine-readable and the displayed name of each column.
    package var columns: [(figure: String, title: String)]
    package var rows: [(name: String, values: [Figure.Value?])]

    package init(
      name: String, columns: [(figure: String, title: String)],
      rows: [(name: String, values: [Figure.Value?])]
    ) {
      self.name = name
      self.columns = columns
      self.rows = rows
    }
  }

  package init(kind: String, name: String) {
    self.kind = kind
    self.name = name
  }

  private static let shownRows = 20

  /// Returns one row for each figure.
  package func csv() throws -> [UInt8] {
    try CSVWriter.table(
      of: allFigures.map {
        [
          JSONMember(kind, .string(name)), JSONMember("figure", .string($0.name)),
          JSONMember("value", $0.value.json), JSONMember("unit", .string($0.unit)),
          JSONMember("note", .string($0.note)),
        ]
      })
  }

  /// Returns one object with a member for each figure.
  package func json() throws -> [UInt8] {
    let members = allFigures.map { JSONMember($0.name, $0.value.json) }
    return try JSONWriter.document(.object([JSONMember(kind, .string(name))] + members))
  }

  package func text(style: TextStyle) -> String {
    let shown = tables.filter { !$0.rows.isEmpty }.map { "\n" + Self.text($0, style: style) }
    return figuresText(style: style) + shown.joined()
  }

  /// All figures, including those of the tables, for programs.
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

  private func figuresText(style: TextStyle) -> String {
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
      let notes = WrappedText.lines(figure.note, width: max(20, style.width - taken))
      table.append([figure.name, figure.value.text, figure.unit, notes[0]])
      for note in notes.dropFirst() { table.append(["", "", "", note]) }
    }
    return (title == name ? "" : name + "\n") + table.terminal(style: style)
  }

  private static func text(_ table: Table, style: TextStyle) -> String {
    var text = TextTable(
      columns: [.init(table.name, .left)] + table.columns.map { .init($0.title, .right) })
    for row in table.rows.prefix(shownRows) {
      text.append([row.name] + row.values.map { $0?.text ?? "" })
    }
    let rest = table.rows.count - shownRows
    return text.withoutEmptyColumns().terminal(style: style)
      + (rest > 0 ? "and \(HumanNumber.count(Double(rest))) more; --format csv has all\n" : "")
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
