package import Metrics

/// The latencies that answer "how long until the user sees it", out of everything that was measured.
///
/// Single events through every door of the cache come first, then the controls that show the
/// machine's own noise, then the batches.
package enum LatencyTable {
  private static let statistics: [Statistic] = [.p50, .p99, .p999, .max]
  private static let stages = [
    "generator_lateness", "decode", "apply", "notify", "update_to_notify", "response_time",
    "server_to_ui", "event_cost",
  ]
  private static let controls = [
    "control_notify", "control_to_ui", "control_event_cost", "sleeper_lateness",
  ]
  private static let ofBatches = ["update_to_notify", "apply", "event_cost"]

  /// Sets what one policy was measured at in a table.
  ///
  /// - Parameters:
  ///   - policy: The policy whose rows are shown, beside those of the controls, which have none.
  ///   - rows: The rows of one scenario of measurements.
  /// - Returns: One line per metric and class; what was not measured has none.
  package static func table(of policy: String, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [
        TextTable.Column("what"), TextTable.Column("events"), TextTable.Column("n", .right),
      ] + statistics.map { TextTable.Column($0.rawValue, .right) })
    let own = rows.filter { $0.policy == policy || $0.policy.isEmpty }
    let classes = own.distinct(\.class)
    let singles = classes.filter(isSingle)
    // Batches are shown through the first door only: the way to the observer is short beside them.
    let batches = classes.filter { !isSingle($0) && !$0.utf8.contains(UInt8(ascii: "/")) }
    for (classes, metrics) in [(singles, stages), (singles, controls), (batches, ofBatches)] {
      for name in classes {
        for metric in metrics {
          guard let line = line(metric, of: name, rows: own) else { continue }
          table.append(line)
        }
      }
    }
    return table
  }

  /// Whether a class is of single events: `single`, or `single/stream` for another door.
  static func isSingle(_ name: String) -> Bool {
    name == "single" || name.hasPrefix("single/")
  }

  private static func line(
    _ metric: String, of name: String, rows: [ResultRow]
  ) -> [String]? {
    let own = rows.filter { $0.metric == metric && $0.class == name }
    guard !own.isEmpty else { return nil }
    let count = own.compactMap(\.sampleCount).max()
    let cells = statistics.map { statistic in
      HumanNumber.text(
        own.first { $0.statistic == statistic.rawValue }?.value, unit: .nanoseconds)
    }
    return [metric, name, count.map { HumanNumber.count(Double($0)) } ?? ""] + cells
  }
}
