import Analysis
import Reporting
import ResultModel

/// A policy's results by memory: less costs hits, and from some size on more brings none.
struct MemoryCurve: Sendable {
  struct Point: Sendable {
    /// The limit of the whole cache, in bytes.
    var memory: Int
    /// Each figure, seed by seed or user by user.
    var values: [[Double]]
  }

  /// In sixteenths of what `lru` takes at the scenario's limit.
  static let levels = [1, 2, 4, 8, 16, 32, 64, 128]
  /// The same without those at which all policies are compared.
  static let sixteenths = levels.filter { ![8, 16, 32].contains($0) }

  /// How far from no limit the knee may lie: in the unit of a ratio; of anything else twice that as a share.
  private static let tolerance = 0.01

  /// The deciding figure, at both ends of a recording's open range.
  private let figures: [Figure]
  private let direction: Goal.Direction
  /// The least memory first.
  private(set) var points: [Point] = []
  /// The policy in the limits that it has.
  var own: Point?

  init(of figures: [Figure], _ direction: Goal.Direction) {
    self.figures = figures
    self.direction = direction
  }

  /// Adds what was run within so much memory; without effect where a figure is missing.
  mutating func add(_ sample: ObservedSample?, memory: Int) {
    guard let sample, let added = point(sample, memory: memory) else { return }
    points.append(added)
    points.sort { $0.memory < $1.memory }
  }

  /// - Returns: `nil` where a figure is missing.
  func point(_ sample: ObservedSample, memory: Int) -> Point? {
    let values = figures.compactMap { sample.complete($0) }.filter { !$0.isEmpty }
    return values.count == figures.count ? Point(memory: memory, values: values) : nil
  }

  /// The means of each figure, over the seeds that all points have.
  func means(_ values: [[Double]]) -> [Double] {
    let count = points.map(\.values[0].count).min() ?? 0
    return values.map { $0.prefix(count).reduce(0, +) / Double(count) }
  }

  /// The point without a limit; `nil`: it is not known.
  var unlimited: Point? {
    points.count > 1 ? points.last.flatMap { $0.memory == Circumstance.unlimited ? $0 : nil } : nil
  }

  private var limited: [Point] { points.filter { $0.memory < Circumstance.unlimited } }

  /// The least memory that is nearly as good as no limit; `nil`: none is.
  var knee: Point? {
    unlimited.flatMap { end in limited.first { isNear($0.values, end.values) } }
  }

  /// Whether values are worse than others by no more than the tolerance.
  func isNear(_ values: [[Double]], _ others: [[Double]]) -> Bool {
    let width = means(others).map {
      figures[0].unit == .ratio ? Self.tolerance : 2 * Self.tolerance * $0.magnitude
    }
    return isAsGood(values, as: others, within: width)
  }

  /// Whether values are worse by no more than this, by each figure.
  private func isAsGood(_ values: [[Double]], as others: [[Double]], within width: [Double]) -> Bool
  {
    let sign: Double = direction == .maximise ? 1 : -1
    return zip(zip(means(values), means(others)), width).allSatisfy { pair, width in
      sign * (pair.0 - pair.1) >= -width
    }
  }

  /// The least memory that is worse than some values by no more than this; `nil`: none is.
  func least(within width: Double, of values: [[Double]]) -> Int? {
    limited.first { isAsGood($0.values, as: values, within: values.map { _ in width }) }?.memory
  }

  /// The least memory beyond another that is better than it by more than the tolerance; `nil`: none is.
  func better(than point: Point) -> Point? {
    limited.first { $0.memory > point.memory && !isNear(point.values, $0.values) }
  }

  /// The tolerance in words.
  var reach: String { figures[0].unit == .ratio ? "1 point" : "2 %" }

  /// The deciding figure at a point, in words: a range if there are two ends.
  func text(_ point: Point) -> String {
    let (means, unit) = (means(point.values), figures[0].unit)
    guard let low = means.min(), let high = means.max(), low < high else {
      return HumanNumber.text(.real(means[0]), unit: unit)
    }
    return unit == .ratio
      ? HumanNumber.range(low, high)
      : [low, high].map { HumanNumber.text(.real($0), unit: unit) }.joined(separator: " to ")
  }

  /// Where the knee is, as a sentence that names a rival if it is better there by more than the tolerance; `nil` where
  /// it is not known what no limit would bring.
  func kneeText(besides rival: (name: String, curve: MemoryCurve)? = nil) -> String? {
    guard let unlimited, let largest = limited.last else { return nil }
    func size(_ point: Point) -> String { HumanNumber.bytes(Double(point.memory)) }
    guard let knee else {
      return
        "with \(size(largest)) \(text(largest)), without a limit \(text(unlimited)): no limit up to there is "
        + "within \(reach)"
    }
    let least = limited.last { $0.memory < knee.memory }
    return
      "\(size(knee)) \(least == nil ? "or less " : "")is within \(reach) of unlimited (\(text(knee)) and "
      + "\(text(unlimited)))" + (least.map { "; \(size($0)) is not (\(text($0)))" } ?? "")
      + (rival.flatMap { name, curve in
        curve.limited.first { $0.memory == knee.memory && !isNear(knee.values, $0.values) }.map {
          "; \(name) has \(curve.text($0)) with \(size($0))"
        }
      } ?? "")
  }
}

extension MemoryCurve {
  /// The curve of the policy that a comparison names.
  ///
  /// - Returns: `nil` if it names none.
  init?(of result: ComparisonResult) {
    guard result.named != nil else { return nil }
    // Of a recording that does not tell which hits were fresh, as if all of them had been.
    let rule = result.isOfAppLog ? result.comparison.otherRules.first?.rule : nil
    self.init(
      of: [(rule ?? result.comparison.rule).objective], result.comparison.rule.direction)
  }
}

extension ComparisonResult {
  /// The policies that have a point at every level: whose knee is shown, and what it is compared with.
  var followed: [String] { [named, "lru"].compactMap(\.self) }

  /// The policy that is named, else that leads as far as is known.
  var named: String? {
    guard let verdict else { return nil }
    if case .notDecided(let indecision) = verdict.outcome {
      return indecision.leader ?? indecision.left.first
    }
    return (recordedVerdict.map(\.candidates) ?? verdict.named).first
  }
}
