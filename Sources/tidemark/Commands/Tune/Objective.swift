import Analysis
import CommandLineInterface
import ResultModel

/// A metric that a setting is judged by.
struct Objective: Hashable {
  var metric: Metric
  var statistic: Statistic

  /// Reads `metric` or `metric:statistic`.
  init(_ text: String, of option: String = "--objective") throws(CommandFailure) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard let metric = parts.first.flatMap({ MetricRegistry.named($0) }) else {
      throw CommandFailure(
        .input, "\(option) \(text): no such metric; `tidemark list metrics` names them")
    }
    guard metric.polarity != .neutral, metric.noiseClass == .exact else {
      throw CommandFailure(
        .input,
        "\(option) \(text): not an exact metric with a better direction; `tidemark list metrics` "
          + "says which have one")
    }
    let statistic = parts.count == 2 ? Statistic(rawValue: parts[1]) : metric.statistics.first
    guard let statistic, metric.statistics.contains(statistic) else {
      let known = metric.statistics.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.input, "\(option) \(text): its statistics are \(known)")
    }
    self.init(metric: metric, statistic: statistic)
  }

  init(metric: Metric, statistic: Statistic) {
    self.metric = metric
    self.statistic = statistic
  }

  /// Reads a list of them, each once.
  static func all(_ text: String) throws(CommandFailure) -> [Objective] {
    var objectives: [Objective] = []
    for name in try NameList.names(in: text, of: "--objective", example: Metric.freshHitRatio.name)
    {
      let objective = try Objective(name)
      guard
        !objectives.contains(objective)
      else {
        throw CommandFailure(.input, "--objective: \(name) is there twice; give it once")
      }
      objectives.append(objective)
    }
    return objectives
  }

  /// Whether it can only be told where the server's own states are known, while hits can be without.
  var needsFreshness: Bool { metric == .freshHitRatio }

  /// The objectives for the log of an app: hits instead of fresh ones, each once.
  static func withoutFreshness(_ objectives: [Objective]) -> [Objective] {
    let hasHits = objectives.contains { $0.metric == .hitRatio }
    return objectives.compactMap { objective in
      guard objective.needsFreshness else { return objective }
      var other = objective
      other.metric = .hitRatio
      return hasHits ? nil : other
    }
  }

  func value(of policy: String, in rows: [ResultRow]) -> MetricValue? {
    rows.first {
      $0.policy == policy && $0.class == Figure(metric).class && $0.metric == metric
        && $0.statistic == statistic
    }?.value
  }
}
