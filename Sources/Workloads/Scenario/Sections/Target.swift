import CacheModel

/// What policies must reach in a scenario.
package struct Target: Sendable {
  /// The metric's name, as in the registry of metrics.
  package var metric = ""
  /// The class within the metric, such as `file` or `total`.
  package var metricClass = "total"
  package var statistic = "value"
  package var comparison = Comparison.atLeast
  /// In the unit of the metric: a ratio is a fraction of one, a duration is in nanoseconds.
  package var limit = 0.0
  package var unit = Unit.count
  /// The policies that it binds, by name; empty: all but the bounds.
  package var policyNames: [String] { policies.map(\.name) }
  var policies: [(name: String, place: SourcePlace?)] = []
  var place: SourcePlace?
  /// How many limits were given, and whether the last could be read.
  var limitCount = 0
  var hasReadLimit = false

  package init() {}

  package enum Comparison: String, Hashable, Sendable {
    case atLeast = "at-least"
    case atMost = "at-most"
  }

  /// What a limit measures; the raw values are those of metric units.
  package enum Unit: String, Hashable, Sendable, CaseIterable {
    case count
    case ratio
    case bytes
    case nanoseconds
    case perSecond = "per_second"
    case bytesPerEntity = "bytes_per_entity"

    var dimension: Dimension {
      switch self {
      case .count: .count("events")
      case .ratio: .share
      case .bytes, .bytesPerEntity: .size
      case .nanoseconds: .duration
      case .perSecond: .rate
      }
    }
  }

  /// Whether a value reaches the target.
  package func isMet(by value: Double) -> Bool {
    switch comparison {
    case .atLeast: value >= limit
    case .atMost: value <= limit
    }
  }
}

extension Target: ScenarioSection {
  static let fields: [Field<Target>] = [
    Field(name: "metric", form: .choice([]), summary: "the metric's name") {
      $0.place = $1.place
      $0.metric = $2.metric($1) ?? ""
    }.required(),
    .identifier("class", \.metricClass, "the class within the metric; total if absent"),
    .text("statistic", \.statistic, "value, p50, p95, p99, max, …; value if absent"),
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

  private static func limitField(_ name: String, _ comparison: Comparison) -> Field<Target> {
    Field(name: name, form: .text, summary: "the limit, with its unit") {
      $0.comparison = comparison
      $0.limitCount += 1
      guard let (limit, unit) = $2.limit($1) else { return }
      $0.unit = unit
      $0.limit = limit
      $0.hasReadLimit = true
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if limitCount != 1 {
      reader.report(place, "a target needs one limit", "write either `at-least` or `at-most`")
    }
    guard let known = reader.vocabulary.metrics?.first(where: { $0.name == metric }),
      limitCount == 1, hasReadLimit
    else { return }
    if !known.statistics.isEmpty, !known.statistics.contains(statistic) {
      reader.report(
        place, "`\(metric)` has no statistic `\(ScenarioReader.shortened(statistic))`",
        "write `statistic:` " + known.statistics.joined(separator: ", or "))
    }
    let agrees = known.unit.dimension == unit.dimension
    if !agrees {
      reader.report(
        place, "`\(metric)` is measured in \(known.unit.rawValue), the limit in \(unit.rawValue)",
        "write the limit for example as \(known.unit.dimension.example)")
    }
  }
}

extension ScenarioReader {
  /// The name of a metric.
  mutating func metric(_ node: SourceNode) -> String? {
    scalar(node).flatMap { metric(named: $0, at: node.place) }
  }

  mutating func metric(named name: String, at place: SourcePlace?) -> String? {
    guard let metrics = vocabulary.metrics?.map(\.name), !metrics.contains(name) else {
      return name
    }
    report(
      place, "unknown metric `\(Self.shortened(name))`", remedy(for: name, among: metrics))
    return nil
  }

  /// A limit with its unit, in the unit of metrics.
  mutating func limit(_ node: SourceNode) -> (value: Double, unit: Target.Unit)? {
    guard let text = scalar(node) else { return nil }
    guard let quantity = Quantity(text), let unit = Target.Unit.of(quantity) else {
      report(
        node.place, "`\(Self.shortened(text))` is not a limit with a unit",
        "write for example `90 %`, `20 ms`, `15 MB`, `0 events`")
      return nil
    }
    switch unit {
    case .ratio, .perSecond:
      return real(node, unit.dimension, in: 0...1e12).map { ($0, unit) }
    case .count: return (quantity.real, unit)
    default: return whole(node, unit.dimension, in: 0...(.max)).map { (Double($0), unit) }
    }
  }
}

extension Target.Unit {
  /// What a quantity with its unit measures; a word that is no unit counts something.
  fileprivate static func of(_ quantity: Quantity) -> Target.Unit? {
    for candidate in [Target.Unit.ratio, .nanoseconds, .bytes, .perSecond]
    where candidate.dimension.units.contains(where: { $0.name == quantity.unit }) {
      return candidate
    }
    let isWord = !quantity.unit.isEmpty && quantity.unit.utf8.allSatisfy { $0 >= 97 && $0 <= 122 }
    return isWord ? .count : nil
  }
}
