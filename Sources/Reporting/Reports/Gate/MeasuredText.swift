import Analysis
import ResultModel

/// A gate's text about counts and times.
enum MeasuredText {
  /// Returns the findings to show, the worst first; equal figures are only counted.
  static func shown(_ findings: [MeasuredFinding]) -> [MeasuredFinding] {
    MeasuredFinding.Outcome.allCases.filter { $0 != .same }.flatMap { outcome in
      findings.filter { $0.outcome == outcome }.enumerated().sorted {
        ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
      }.map(\.element)
    }
  }

  static func line(
    _ finding: MeasuredFinding, among findings: [MeasuredFinding], style: TextStyle
  ) -> String {
    let scenario = finding.figure.scenario
    let owner =
      finding.figure.policy.isEmpty ? scenario : "\(scenario)/\(finding.figure.policy)"
    return style.paint(finding.outcome.rawValue, finding.outcome.tone) + " \(owner): "
      + message(finding, among: findings)
  }

  /// Returns one finding, as in `operation_time[single] 2.1 µs → 2.4 µs, 12.3 % worse (9.8 to 14.1 %, 12
  /// rounds, twice); 1 more allocations_per_event`.
  static func message(_ finding: MeasuredFinding, among findings: [MeasuredFinding]) -> String {
    let figure = finding.figure
    let name = figure.metric.name + (figure.class == .total ? "" : "[\(figure.class)]")
    guard let baseline = finding.baseline, let candidate = finding.candidate else {
      return [name, finding.reason].compactMap { $0 }.joined(separator: ": ")
    }
    let change =
      "\(name) \(value(baseline, figure)) → \(value(candidate, figure)), "
      + size(of: finding, candidate - baseline)
    return ([change] + [finding.reason].compactMap { $0 } + cause(of: finding, among: findings))
      .joined(separator: "; ")
  }

  private static func value(_ value: Double, _ figure: FigureIdentity) -> String {
    // Times of two builds differ by less than one decimal of the usual unit.
    if figure.metric.unit == .nanoseconds, value < 100_000 {
      return HumanNumber.count(value.rounded()) + " ns"
    }
    return HumanNumber.text(.real(value), unit: figure.metric.unit)
  }

  private static func size(of finding: MeasuredFinding, _ difference: Double) -> String {
    let word =
      switch finding.outcome {
      case .worse: " worse"
      case .better: " better"
      case .same, .inconclusive, .error: difference > 0 ? " more" : " less"
      }
    guard let change = finding.change else {
      return value(abs(difference), finding.figure) + word
    }
    let range = finding.interval.map { interval in
      " (\(HumanNumber.points(interval.lowerBound)) to \(HumanNumber.percent(interval.upperBound)), "
        + "\(finding.rounds) rounds"
        + (finding.detectable.map { ", could see \(HumanNumber.percent($0))" } ?? "") + ")"
    }
    return HumanNumber.percent(abs(change)) + word + (range ?? "")
  }

  /// Returns the cause of a slower time: a count of the same operation that is worse too.
  private static func cause(
    of finding: MeasuredFinding, among findings: [MeasuredFinding]
  ) -> [String] {
    guard finding.outcome == .worse, finding.figure.metric == .operationTime else { return [] }
    return findings.filter {
      $0.outcome == .worse && $0.figure.scenario == finding.figure.scenario
        && $0.figure.class == finding.figure.class && $0.figure.metric != .operationTime
    }.compactMap { count in
      guard let old = count.baseline, let new = count.candidate else { return nil }
      return "\(HumanNumber.count(new - old)) more \(count.figure.metric.name)"
    }
  }

  // MARK: Counting

  /// Returns the counts, as in `24 counts the same`, `1 time inconclusive`.
  static func counts(_ findings: [MeasuredFinding]) -> [String] {
    [(NoiseClass.counted, "count"), (.sampled, "time")].flatMap { noiseClass, word in
      MeasuredFinding.Outcome.allCases.compactMap { outcome -> String? in
        let count = findings.count {
          $0.figure.metric.noiseClass == noiseClass && $0.outcome == outcome
        }
        guard count > 0 else { return nil }
        let state =
          switch outcome {
          case .same: "the same"
          case .error: "not measured"
          case .worse, .better, .inconclusive: outcome.rawValue
          }
        return "\(count) \(word)\(count == 1 ? "" : "s") \(state)"
      }
    }
  }

  /// Returns the smallest detectable change of a time, as in `times: could see 6.0 to 9.0 %; below that a
  /// change is inconclusive or the same`.
  static func power(_ findings: [MeasuredFinding]) -> String? {
    let times = findings.filter { $0.figure.metric.noiseClass == .sampled }
    guard !times.isEmpty else { return nil }
    let seen = times.compactMap(\.detectable)
    guard let least = seen.min(), let most = seen.max() else {
      return "times: on this machine now not even half as much again could be seen"
    }
    let range =
      least == most
      ? HumanNumber.percent(least)
      : "\(HumanNumber.points(least)) to \(HumanNumber.percent(most))"
    let blind = times.count - seen.count
    return "times: could see \(range)" + (blind == 0 ? "" : ", of \(blind) not even 50 %")
      + "; a smaller change is inconclusive or the same"
  }
}

extension MeasuredFinding {
  /// The size of the change, compared with the baseline.
  fileprivate var weight: Double { change.map(abs) ?? .infinity }
}
