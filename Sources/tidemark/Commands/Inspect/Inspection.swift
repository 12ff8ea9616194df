import Reporting
import TraceReplay

/// What an input is like, in figures.
struct Inspection {
  /// What kind of input it is; the first column of CSV.
  var kind: String
  var name: String
  var figures: [Figure] = []

  struct Figure {
    enum Value {
      case count(Int)
      case real(Double)
      /// 0 to 1.
      case share(Double)
    }

    var name: String
    var value: Value
    /// Empty for a share and a bare number.
    var unit = ""
    /// How it is to be read.
    var note = ""
  }

  /// - Parameter format: how the figures are written.
  /// - Returns: the bytes of a file.
  /// - Throws: what the JSON writer throws.
  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv:
      var writer = CSVWriter()
      for column in [kind, "figure", "value", "unit", "note"] { writer.plain(column) }
      writer.endLine()
      for figure in figures {
        writer.text(name)
        writer.plain(figure.name)
        switch figure.value {
        case .count(let count): writer.plain(String(count))
        case .real(let value), .share(let value): writer.plain("\(value)")
        }
        writer.plain(figure.unit)
        writer.text(figure.note)
        writer.endLine()
      }
      return writer.bytes
    case .json:
      let members = figures.map { figure in
        switch figure.value {
        case .count(let count): JSONMember(figure.name, .integer(Int64(count)))
        case .real(let value), .share(let value): JSONMember(figure.name, .real(value))
        }
      }
      return try JSONWriter.document(.object([JSONMember(kind, .string(name))] + members))
    case .table:
      var table = TextTable(
        columns: [
          .init("figure", .left), .init(name, .right), .init("unit", .left), .init("note", .left),
        ])
      for figure in figures {
        table.append([figure.name, figure.value.text, figure.unit, figure.note])
      }
      return Array(table.terminal(style: Console.style).utf8)
    }
  }
}

extension Inspection.Figure.Value {
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
    figures = summary.rows.map { row in
      let value: Figure.Value =
        switch row.value {
        case .count(let count): .count(count)
        case .real(let value): .real(value)
        case .share(let share): .share(share)
        }
      return Figure(name: row.name, value: value, unit: row.unit, note: row.note)
    }
  }
}
