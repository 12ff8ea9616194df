package import ResultModel
import Text

/// The goal for recommending a policy: an objective and constraints.
package struct GoalSection: Sendable {
  /// The metric of the objective, in the class `all`.
  package var metric = Metric.freshHitRatio
  package var seeks = Sense.highest
  /// The constraints that a recommended policy must meet.
  package var constraints: [Limit] = []
  /// The number of fresh reads that a stale read cancels: 0 ignores it, 1 lets it cancel a fresh one.
  package var staleWeight = 0.0
  /// The largest irrelevant difference; `nil`: 0.5 points of a ratio, 2 % of the best of anything else.
  package var zone: Zone?
  private var objectiveCount = 0

  package init() {}

  package enum Sense: Hashable, Sendable {
    case highest, lowest
  }

  package enum Zone: Hashable, Sendable {
    /// For a ratio, as a fraction of one.
    case points(Double)
    /// A share of the best.
    case share(Double)
  }

  /// A limit on a metric of the class `all`, or of `total` if it has no classes.
  package struct Limit: Hashable, Sendable {
    package var metric: Metric
    /// The metric's first statistic, unless another is named.
    package var statistic: Statistic
    package var comparison: Target.Comparison
    /// In the unit of the metric, as in ``Target``.
    package var limit: Double
    /// As written.
    package var text: String
  }
}

extension GoalSection: ScenarioSection {
  static let fields: [Field<GoalSection>] = [
    objective("maximise", .highest),
    objective("minimise", .lowest),
    Field(name: "subject-to", form: .list, summary: "limits that a policy must keep") {
      guard case .sequence(let nodes) = $1.content, nodes.count <= 20 else {
        $2.report(
          $1.place, "a list of at most 20 limits is expected here",
          "write `['stale_read_share <= 1 %']`")
        return
      }
      for node in nodes {
        if let limit = Limit(node, &$2) { $0.constraints.append(limit) }
      }
    },
    .real(
      "stale-weight", .number, \.staleWeight, 0...100, "how many fresh hits one stale read cancels"
    ),
    Field(
      name: "zone", form: .named("points, or share"),
      summary: "the largest difference that does not matter"
    ) {
      let remedy = "write for example `0.5 points` of a ratio, or `2 %` of the best"
      guard let text = $2.scalar($1),
        let quantity = $2.quantity($1, as: "a zone", remedy: remedy)
      else { return }
      guard quantity.real > 0, quantity.real <= 100, let zone = Zone(quantity) else {
        $2.report($1.place, "`\(ScenarioReader.shortened(text))` is not a zone", remedy)
        return
      }
      $0.zone = zone
    },
  ]

  private static func objective(_ name: String, _ sense: Sense) -> Field<GoalSection> {
    Field(
      name: name, form: .choice([]), summary: "the metric that decides",
      initial: { $0.seeks == sense ? $0.metric.name : nil }
    ) {
      guard let metric = $2.metric($1) else { return }
      guard metric.polarity != (sense == .highest ? .lowerIsBetter : .higherIsBetter) else {
        let (better, key) = sense == .highest ? ("lower", "minimise") : ("higher", "maximise")
        $2.report(
          $1.place, "`\(metric.name)` is better if it is \(better)",
          "write `\(key): \(metric.name)`")
        return
      }
      $0.metric = metric
      $0.seeks = sense
      $0.objectiveCount += 1
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if objectiveCount > 1 {
      reader.report(place, "both `maximise` and `minimise` are given", "remove one of them")
    }
    if case .points = zone, metric.unit != .ratio {
      reader.report(
        place, "`\(metric.name)` is not a ratio, so it has no points",
        "write the zone as a share: `2 %`")
    }
    if staleWeight > 0, metric != .freshHitRatio {
      reader.report(
        place, "`stale-weight` concerns `\(Metric.freshHitRatio.name)` only",
        "remove it, or maximise that")
    }
  }
}

extension GoalSection.Zone {
  fileprivate init?(_ quantity: Quantity) {
    switch quantity.unit {
    case "points", "point": self = .points(quantity.real / 100)
    case "%": self = .share(quantity.real / 100)
    default: return nil
    }
  }
}

extension GoalSection.Limit {
  /// Reads an option's value, as the section reads an entry of `subject-to`.
  package init(_ text: String, of option: String) throws(ScenarioError) {
    var reader = ScenarioReader(file: "\(option) '\(text)'", vocabulary: .unchecked)
    reader.isOnCommandLine = true
    let limit = Self(SourceNode(place: nil, content: .scalar(text)), &reader)
    try reader.throwIfAnyProblem()
    guard let limit else { preconditionFailure("what is no limit is a problem") }
    self = limit
  }

  /// Reads `METRIC[:STATISTIC] <= LIMIT` or `>=`.
  fileprivate init?(_ node: SourceNode, _ reader: inout ScenarioReader) {
    guard let text = reader.scalar(node) else { return nil }
    let signs: [(sign: String, comparison: Target.Comparison)] = [
      ("<=", .atMost), (">=", .atLeast),
    ]
    let found = signs.first { text.contains($0.sign) }
    guard let found, case let parts = Self.parts(of: text, at: found.sign), parts.count == 2 else {
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is not a limit",
        "write a metric, `<=` or `>=`, and a value: `stale_read_share <= 1 %`")
      return nil
    }
    let names = parts[0].split(separator: ":", maxSplits: 1).map(String.init)
    guard let metric = names.first.flatMap({ reader.metric(named: $0, at: node.place) }) else {
      return nil
    }
    let name = names.count > 1 ? names[1] : nil
    guard let statistic = metric.statistics.first(where: { name == nil || $0.rawValue == name })
    else {
      reader.report(
        node.place, "`\(metric.name)` has no statistic `\(ScenarioReader.shortened(name ?? ""))`",
        "write one of " + metric.statistics.map(\.rawValue).joined(separator: ", "))
      return nil
    }
    let value = SourceNode(place: node.place, content: .scalar(parts[1]))
    guard let (limit, unit) = reader.limit(value, of: metric) else { return nil }
    guard reader.check(unit, of: metric, at: node.place) else { return nil }
    self.init(
      metric: metric, statistic: statistic, comparison: found.comparison, limit: limit,
      text: parts.joined(separator: " \(found.sign) "))
  }

  /// Returns the texts before and after a sign, without spaces.
  private static func parts(of text: String, at sign: String) -> [String] {
    let bytes = Array(text.utf8)
    let pattern = Array(sign.utf8)
    guard
      let start = bytes.indices.first(where: { bytes[$0...].starts(with: pattern) })
    else { return [] }
    let pieces = [bytes[..<start], bytes[(start + pattern.count)...]]
    return pieces.map { piece in
      let space = UInt8(ascii: " ")
      let trimmed = piece.drop { $0 == space }.reversed().drop { $0 == space }.reversed()
      return String(decoding: Array(trimmed), as: UTF8.self)
    }.filter { !$0.isEmpty }
  }
}
