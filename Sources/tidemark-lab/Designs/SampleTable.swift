import CacheModel
import Foundation
import RealTime
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

  /// Returns a row for each value of each round.
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

  /// Returns a line for each measure: the median of the rounds, the minimum and the maximum.
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

/// The samples of one design at one size.
struct SampleList {
  let design: String
  var entries: Int?
  private(set) var samples: [DesignSample] = []

  init(design: String, entries: Int?) {
    self.design = design
    self.entries = entries
  }

  mutating func add(_ measure: String, _ value: MetricValue, _ unit: MetricUnit) {
    samples.append(
      DesignSample(design: design, measure: measure, entries: entries, value: value, unit: unit))
  }

  mutating func add(_ measure: String, nanoseconds: Int64) {
    add(measure, .integer(nanoseconds), .nanoseconds)
  }

  mutating func add(_ measure: String, bytes: Int) {
    add(measure, .integer(Int64(bytes)), .bytes)
  }

  /// Adds the quantiles for which there are enough samples.
  mutating func add(_ measure: String, _ times: SampleSummary) {
    for statistic in [Statistic.p50, .p99] {
      guard let value = times.value(of: statistic) else { continue }
      samples.append(
        DesignSample(
          design: design, measure: measure, entries: entries, statistic: statistic, value: value,
          unit: .nanoseconds, count: times.count))
    }
  }

  /// Adds the bytes written since a count, or those per byte of payload, if the system has figures.
  mutating func add(_ measure: String, writtenSince before: Int?, payload: Int? = nil) {
    guard let written = Disk.bytesWritten(since: before) else { return }
    guard let payload else { return add(measure, bytes: written) }
    add(measure, .real(Double(written) / Double(payload)), .factor)
  }

  /// Adds the size and the number of a folder's files.
  mutating func add(usageOf folder: URL) throws {
    let usage = try Disk.usage(of: folder)
    add("disk", bytes: usage.bytes)
    add("files", .integer(Int64(usage.files)), .count)
  }
}

/// One value of one round.
struct DesignSample: Hashable, Sendable {
  /// A design with its setting, or `control`.
  var design: String
  var measure: String
  /// The number of entries or rows in the cache; `nil`: irrelevant for the measure.
  var entries: Int?
  var statistic = Statistic.value
  var value: MetricValue
  var unit: MetricUnit
  /// The number of measurements behind the value.
  var count = 1
  var round = 1
}

/// Times asynchronous calls with the monotonic clock.
enum Stopwatch {
  static func time(_ body: () async throws -> Void) async rethrows -> Int64 {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return start.duration(to: clock.now).wholeNanoseconds
  }

  /// Returns the time of each of this many calls.
  static func times(
    _ count: Int, _ body: (Int) async throws -> Void
  ) async rethrows -> SampleSummary {
    var times: [Int64] = []
    for index in 0..<count { times.append(try await time { try await body(index) }) }
    return SampleSummary(times)
  }
}
