import Reporting
import Text
import TraceReplay

/// What an input is like, in figures.
struct Inspection {
  /// What kind of input it is; the first column of CSV.
  var kind: String
  var name: String
  var figures: [Figure] = []

  struct Figure {
    typealias Value = TraceSummary.Row.Value

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
      return try CSVWriter.table(
        of: figures.map {
          [
            JSONMember(kind, .string(name)), JSONMember("figure", .string($0.name)),
            JSONMember("value", $0.value.json), JSONMember("unit", .string($0.unit)),
            JSONMember("note", .string($0.note)),
          ]
        })
    case .json:
      let members = figures.map { JSONMember($0.name, $0.value.json) }
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
