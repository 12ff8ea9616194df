package import ResultModel
import Text

package struct TargetSection: Sendable {
  /// `nil` until it is read; a valid scenario has it.
  package var metric: Metric?
  /// The class within the metric, such as `file` or `total`.
  package var metricClass = "total"
  private var classPlace: SourcePlace?
  /// By name, since it can be checked only when both are known.
  package var statistic = Statistic.value.rawValue
  package var comparison = Target.Comparison.atLeast
  /// In the unit of the metric: a ratio is a fraction of one, a duration is in nanoseconds.
  package var limit = 0.0
  package var unit = MetricUnit.count
  /// The names of its policies; empty: all except the bounds.
  package var policyNames: [String] { policies.map(\.name) }
  var policies: [(name: String, place: SourcePlace?)] = []
  var place: SourcePlace?
  /// The number of given limits, and whether the last one could be read.
  var limitCount = 0
  var hasReadLimit = false

  /// Returns the target for its policies among those that run.
  package func target(in scenario: String, of policies: [String]) -> Target? {
    guard let metric, let statistic = Statistic(rawValue: statistic),
      let name = ResultClass(text: metricClass)
    else { return nil }
    return Target(
      scenario: scenario, metric: metric, statistic: statistic, class: name,
      comparison: comparison, limit: limit, policies: policies)
  }
}

extension TargetSection: ScenarioSection {
  static let fields: [Field<TargetSection>] = [
    Field(name: "metric", form: .choice([]), summary: "the metric's name") {
      $0.place = $1.place
      $0.metric = $2.metric($1)
    }.required(),
    Field(
      name: "class", form: .text, summary: "the class within the metric",
      initial: { $0.metricClass }
    ) {
      guard let name = $2.scalar($1) else { return }
      ($0.metricClass, $0.classPlace) = (name, $1.place)
    },
    .text("statistic", \.statistic, "such as `p95`"),
    limitField("at-least", .atLeast),
    limitField("at-most", .atMost),
    Field(name: "policies", form: .list, summary: "the policies that it binds") {
      guard case .sequence(let nodes) = $1.content, nodes.count <= 100 else {
        $2.report($1.place, "a list of policies is expected here", "write `[lru, ttl]`")
        return
      }
      for node in nodes {
        if let name = $2.scalar(node) { $0.policies.append((name, node.place)) }
      }
    },
  ]

  private static func limitField(
    _ name: String, _ comparison: Target.Comparison
  ) -> Field<TargetSection> {
    Field(name: name, form: .named("limit"), summary: "the limit, with its unit") {
      $0.comparison = comparison
      $0.limitCount += 1
      guard let (limit, unit) = $2.limit($1, of: $0.metric) else { return }
      $0.unit = unit
      $0.limit = limit
      $0.hasReadLimit = true
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if limitCount != 1 {
      reader.report(place, "a target needs one limit", "write either `at-least` or `at-most`")
    }
    guard let metric, limitCount == 1, hasReadLimit else { return }
    if !metric.has(statistic) {
      reader.report(
        place, "`\(metric.name)` has no statistic `\(ScenarioReader.shortened(statistic))`",
        "write `statistic:` " + metric.statistics.map(\.rawValue).joined(separator: ", or "))
    }
    reader.check(unit, of: metric, at: place)
    checkClass(of: metric, &reader)
  }

  /// Reports a class that has no rows: of exact metrics all are known.
  private func checkClass(of metric: Metric, _ reader: inout ScenarioReader) {
    guard let classPlace else { return }
    if metric.noiseClass == .exact, let model = reader.model {
      let known = model.classes + ModelReader.otherClasses + ["tagged"]
      if !known.contains(metricClass) {
        reader.reportUnknown(metricClass, "class", at: classPlace, among: known)
      }
    } else if ResultClass(text: metricClass) == nil {
      reader.report(
        classPlace, "`\(ScenarioReader.shortened(metricClass))` is not a class",
        "write one of the `class` column, such as `total`")
    }
  }
}

extension Metric {
  /// Returns whether the metric has a statistic with this name.
  func has(_ statistic: String) -> Bool { statistics.contains { $0.rawValue == statistic } }
}

extension ScenarioReader {
  mutating func metric(_ node: SourceNode) -> Metric? {
    scalar(node).flatMap { metric(named: $0, at: node.place) }
  }

  mutating func metric(named name: String, at place: SourcePlace?) -> Metric? {
    if let metric = MetricRegistry.named(name), metric.unit.dimension != nil { return metric }
    let known = MetricRegistry.all.filter { $0.unit.dimension != nil }
    reportUnknown(name, "metric", at: place, MetricSuggestion.text(for: name, among: known))
    return nil
  }

  /// Returns whether a limit has the metric's unit; reports one that does not.
  @discardableResult
  mutating func check(_ unit: MetricUnit, of metric: Metric, at place: SourcePlace?) -> Bool {
    guard let dimension = metric.unit.dimension, dimension != unit.dimension else { return true }
    report(
      place,
      "`\(metric.name)` is a \(metric.unit.noun), the limit a \(unit.noun)",
      "write the limit for example as \(dimension.example)")
    return false
  }

  /// A limit with its unit, in the unit of metrics; on which of them says which units are possible.
  mutating func limit(
    _ node: SourceNode, of metric: Metric?
  ) -> (value: Double, unit: MetricUnit)? {
    let (noun, remedy) = (
      "a limit with a unit", "write for example `90 %`, `20 ms`, `15 MB`, `0 events`"
    )
    guard let quantity = quantity(node, as: noun, remedy: remedy) else { return nil }
    if quantity.unit.isEmpty, let metric, let dimension = metric.unit.dimension {
      if metric.unit == .count {
        let number = Self.shortened(scalar(node) ?? "")
        report(node.place, "`\(number)` has no unit", "write `\(number) events`")
      } else {
        _ = real(node, dimension, in: 0...1e12)
      }
      return nil
    }
    guard let unit = MetricUnit.of(quantity), let dimension = unit.dimension else {
      report(node.place, "`\(Self.shortened(scalar(node) ?? ""))` is not \(noun)", remedy)
      return nil
    }
    switch unit {
    case .ratio, .perSecond:
      return real(node, dimension, in: 0...1e12).map { ($0, unit) }
    case .count: return (quantity.real, unit)
    default: return whole(node, dimension, in: 0...(.max)).map { (Double($0), unit) }
    }
  }
}

extension MetricUnit {
  /// The unit of its limit; `nil`: it has none.
  var dimension: Dimension? {
    switch self {
    case .count: .count("events")
    case .ratio: .share
    case .bytes, .bytesPerEntity: .size
    case .nanoseconds: .duration
    case .perSecond: .rate
    case .factor: nil
    }
  }

  /// The name of its limit in errors.
  fileprivate var noun: String { self == .count ? "count" : dimension?.noun ?? rawValue }

  /// The dimension of a quantity with its unit; a word that is not a unit counts something.
  fileprivate static func of(_ quantity: Quantity) -> MetricUnit? {
    for candidate in [MetricUnit.ratio, .nanoseconds, .bytes, .perSecond]
    where candidate.dimension?.factor(of: quantity.unit) != nil {
      return candidate
    }
    let isWord = !quantity.unit.isEmpty && quantity.unit.utf8.allSatisfy { $0 >= 97 && $0 <= 122 }
    return isWord ? .count : nil
  }
}
