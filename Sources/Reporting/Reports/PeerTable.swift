package import Metrics

/// The peers of one workload beside each other: each stage, and how many times as long as the cache under
/// test it took.
package enum PeerTable {
  /// What the rows of a comparison have in their scenario column.
  package static let scenario = "peers"
  private static let stages = ["apply", "notify", "event_cost"]
  /// The whole way, of which the tail is shown too.
  private static let whole = "event_cost"
  private static let control = "control_event_cost"

  /// The workloads that have rows, in the order of the rows.
  package static func classes(of rows: [ResultRow]) -> [String] {
    rows.filter { $0.metric == whole }.distinct(\.class)
  }

  /// Sets one workload in a table.
  ///
  /// - Parameters:
  ///   - name: The class.
  ///   - rows: The rows of a comparison.
  /// - Returns: One line for each peer, in the order of the rows, and one for the control.
  package static func table(of name: String, rows: [ResultRow]) -> TextTable {
    var table = TextTable(
      columns: [TextTable.Column("peer"), TextTable.Column("n", .right)]
        + stages.flatMap {
          [TextTable.Column("\($0) p50", .right), TextTable.Column("× ours", .right)]
        }
        + [TextTable.Column("p99", .right), TextTable.Column("p99.9", .right)])
    let own = rows.filter { $0.class == name }
    for policy in own.filter({ $0.metric == whole }).distinct(\.policy) {
      let peer = own.filter { $0.policy == policy }
      func time(_ metric: String, _ statistic: Statistic) -> String {
        HumanNumber.text(peer.value(metric, statistic)?.value, unit: .nanoseconds)
      }
      table.append(
        [policy, samples(peer.value(whole, .p50))]
          + stages.flatMap { stage in
            [time(stage, .p50), ratio(peer.value("\(stage)_ratio", .p50))]
          } + [time(whole, .p99), time(whole, .p999)])
    }
    let control = own.filter { $0.metric == Self.control }
    if !control.isEmpty {
      let times = [Statistic.p50, .p99, .p999].map {
        HumanNumber.text(control.value(Self.control, $0)?.value, unit: .nanoseconds)
      }
      table.append(
        ["(control)", samples(control.value(Self.control, .p50)), "", "", "", "", times[0], ""]
          + times[1...])
    }
    return table
  }

  private static func samples(_ row: ResultRow?) -> String {
    row?.sampleCount.map { HumanNumber.count(Double($0)) } ?? ""
  }

  /// The ratio and its interval, as in 61 (58–64).
  private static func ratio(_ row: ResultRow?) -> String {
    guard let row else { return "" }
    guard let value = row.value?.asDouble else { return "–" }
    guard let interval = row.confidenceInterval else { return short(value) }
    return "\(short(value)) (\(short(interval.lowerBound))–\(short(interval.upperBound)))"
  }

  private static func short(_ ratio: Double) -> String {
    HumanNumber.fixed(ratio, decimals: ratio < 10 ? 2 : ratio < 100 ? 1 : 0)
  }
}

extension [ResultRow] {
  fileprivate func value(_ metric: String, _ statistic: Statistic) -> ResultRow? {
    first { $0.metric == metric && $0.statistic == statistic.rawValue }
  }
}
