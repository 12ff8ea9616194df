import Reporting
import ResultModel
import Text

/// The samples of all rounds, as tidy rows for programs and as a table for people.
struct SampleTable {
  /// The medians of the rounds, in the order of the first.
  private struct Line {
    var first: DesignSample
    var values: [Double]
  }

  let samples: [DesignSample]

  /// A row for each value of each round.
  func csv() throws(NotFinite) -> [UInt8] {
    var writer = CSVWriter(columns: [
      "round", "design", "measure", "entries", "statistic", "value", "unit", "samples",
    ])
    for sample in samples {
      writer.plain("\(sample.round)")
      writer.text(sample.design)
      writer.text(sample.measure)
      writer.plain(sample.entries.map { "\($0)" } ?? "")
      writer.plain(sample.statistic.rawValue)
      switch sample.value {
      case .integer(let value): writer.plain("\(value)")
      case .real(let value): writer.plain(try MachineNumber.text(value))
      }
      writer.plain(sample.unit.rawValue)
      writer.plain("\(sample.count)")
      writer.endLine()
    }
    return writer.bytes
  }

  /// A line for each measure: the median of the rounds, the lowest and the highest.
  func table() -> TextTable {
    var table = TextTable(columns: [
      .init("design"), .init("measure"), .init("entries", .right), .init("", .left),
      .init("median", .right), .init("lowest", .right), .init("highest", .right),
    ])
    for line in lines {
      guard let median = MedianInterval(line.values)?.median, let lowest = line.values.min(),
        let highest = line.values.max()
      else { continue }
      let first = line.first
      let text = { (value: Double) in HumanNumber.text(.real(value), unit: first.unit) }
      table.append([
        first.design, first.measure, first.entries.map { HumanNumber.count(Double($0)) } ?? "",
        first.statistic == .value ? "" : first.statistic.rawValue, text(median), text(lowest),
        text(highest),
      ])
    }
    return table
  }

  private var lines: [Line] {
    var lines: [Line] = []
    var places: [DesignSample: Int] = [:]
    for sample in samples {
      var key = sample
      (key.value, key.count, key.round) = (.integer(0), 0, 0)
      if let place = places[key] {
        lines[place].values.append(sample.value.asDouble)
      } else {
        places[key] = lines.count
        lines.append(Line(first: sample, values: [sample.value.asDouble]))
      }
    }
    return lines
  }
}
