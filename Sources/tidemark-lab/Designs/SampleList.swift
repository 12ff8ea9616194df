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

  mutating func add(_ measure: String, count: Int) {
    add(measure, .integer(Int64(count)), .count)
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

  /// Adds how many bytes were written for each byte of payload, where the system counts them.
  mutating func add(amplification measure: String, written: Int?, payload: Int) {
    guard let written, payload > 0 else { return }
    add(measure, .real(Double(written) / Double(payload)), .factor)
  }
}
