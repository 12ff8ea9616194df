import Analysis
import CacheSimulation
import CommandLineInterface
import RecordingCodec
import Reporting
import ResultModel
import Workloads

extension RecordedOutcomes {
  /// A sentence on reads without an outcome; `nil` if all have one.
  var gapsText: String? {
    guard told < reads else { return nil }
    let (told, reads) = (HumanNumber.count(Double(told)), HumanNumber.count(Double(reads)))
    return "\(told) of \(reads) reads have an `outcome`; "
      + "the row \(ResultRow.recordedPolicy) is of these alone"
  }
}

extension RecordedGap {
  var text: String {
    "by its outcomes the app had \(HumanNumber.percent(recorded)) hits, more than 10 points from every "
      + "policy (nearest: \(nearest), \(HumanNumber.percent(nearestRatio))), so the log is wrong or the "
      + "app's cache is none of these; check `outcome` and `order`, or name a policy like it"
  }
}

extension RecordingGap {
  /// Returns the sentence on missing lines of a recording; `nil` if none is missing.
  static func text(of gaps: [RecordingGap]) -> String? {
    guard let first = gaps.first else { return nil }
    let causes = Cause.allCases.compactMap { cause -> String? in
      let lines = gaps.filter { $0.cause == cause }.reduce(0) { $0 + $1.lines }
      return lines == 0 ? nil : "\(HumanNumber.count(Double(lines))) \(cause.text)"
    }
    let seconds = HumanNumber.count(Double(first.at.nanoseconds / 1_000_000_000))
    return "the recording lacks lines from \(seconds) s on: \(causes.joined(separator: ", ")); "
      + "figures of what follows may not be the app's"
  }
}

extension RecordingGap.Cause {
  fileprivate var text: String {
    switch self {
    case .buffer: "because the recorder's buffer was full"
    case .file: "because the file could not be written"
    case .format: "that the format cannot express"
    }
  }
}

extension LentScenario {
  /// Returns the sections that a file lends, and the fields that stay as recorded.
  func text(from path: String) -> String {
    let own = unused + unusedFields
    return "\(sections.joined(separator: ", ")) of \(path)"
      + (own.isEmpty ? "" : "; as recorded: \(own.joined(separator: ", "))")
  }
}

extension RecordedUsers {
  var text: String {
    let sessions = users.reduce(0) { $0 + $1.sessions.count }
    let names = users.prefix(8).map(\.name).joined(separator: ", ")
    return
      "\(Replicate.user.text(users.count)), \(sessions) recording\(sessions == 1 ? "" : "s"): \(names)"
      + (users.count > 8 ? ", …" : "")
      + (sessions > users.count
        ? "; a user's recordings are averaged, each from an empty cache" : "")
  }
}

extension SimulationInput {
  /// Returns the defaults for a recording; zero windows are omitted.
  ///
  /// - Parameter lent: the sections that a scenario file sets.
  /// - Returns: `nil` if all are set.
  func usualText(lent: [String]) -> String? {
    guard let recorded else { return nil }
    let limits = ScenarioContent(Scenario(of: file.scenario.model)).contenders
      .filter {
        $0.path.hasPrefix("cache.") && !$0.path.contains("watermark") && $0.text != "0 s"
      }
      .map { "\($0.path.dropFirst("cache.".count)) \($0.text)" }
    let goal = Scenario(of: file.scenario.model).goal
    let network = recorded.users[0].sessions[0].network
    let roundTrip = HumanNumber.duration(
      nanoseconds: Double(network.minimumRoundTrip) + Double(network.meanExtra))
    let usual = [
      ("cache", limits.joined(separator: ", ")),
      ("goal", "\(goal.seeks == .highest ? "highest" : "lowest") \(goal.metric.name)"),
      ("network", "round trip as recorded (mean \(roundTrip))"),
    ].filter { !lent.contains($0.0) }.map(\.1)
    return usual.isEmpty
      ? nil : "defaults: \(usual.joined(separator: "; ")); change with --scenario FILE"
  }
}
