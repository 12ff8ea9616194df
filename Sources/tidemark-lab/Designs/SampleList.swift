import Foundation
import RealTime
import ResultModel

/// The samples of one design at one size, as they come.
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

  /// Adds the quantiles that there are samples enough for.
  mutating func add(_ measure: String, _ times: Distribution) {
    for statistic in [Statistic.p50, .p99] {
      guard let value = times.value(of: statistic) else { continue }
      samples.append(
        DesignSample(
          design: design, measure: measure, entries: entries, statistic: statistic, value: value,
          unit: .nanoseconds, count: times.count))
    }
  }

  /// Adds the bytes written since a count, or those for each byte of payload, where the system counts them.
  mutating func add(_ measure: String, writtenSince before: Int?, payload: Int? = nil) {
    guard let written = Disk.bytesWritten(since: before) else { return }
    guard let payload else { return add(measure, bytes: written) }
    add(measure, .real(Double(written) / Double(payload)), .factor)
  }

  /// Adds what a folder takes, and its files.
  mutating func add(usageOf folder: URL) throws {
    let usage = try Disk.usage(of: folder)
    add("disk", bytes: usage.bytes)
    add("files", .integer(Int64(usage.files)), .count)
  }
}
