import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// The smallest memory with which the best policy is about as good as without a limit: less costs hits, more
/// brings none.
struct MemoryKnee {
  /// A memory limit of the whole cache, in bytes, with its results.
  private struct Point {
    var memory: Int
    /// The objective, by seed or user.
    var values: [Double]
  }

  /// The additional memory levels, in sixteenths of the memory of `lru` at the scenario's limit; a half, one
  /// and two times it are run anyway.
  static let sixteenths = [1, 2, 4, 64, 128]

  /// The maximum loss compared with no limit: in the unit of a ratio; otherwise twice that as a share.
  private static let tolerance = 0.01

  private let policy: String
  private let figure: Figure
  private let direction: Goal.Direction
  private var points: [Point] = []

  /// Returns the policies with a point at every level: the one of the knee, and the one compared with it.
  static func followed(in result: ComparisonResult) -> [String] {
    [best(in: result), "lru"].compactMap(\.self)
  }

  /// Returns the recommended policy, otherwise the leader so far.
  private static func best(in result: ComparisonResult) -> String? {
    guard let verdict = result.verdict else { return nil }
    if case .notDecided(let indecision) = verdict.outcome {
      return indecision.leader ?? indecision.left.first
    }
    return (result.recordedVerdict.map(\.candidates) ?? verdict.named).first
  }

  /// Creates the knee of the recommended policy; `nil` without one.
  ///
  /// - Parameter result: the result of the comparison.
  init?(of result: ComparisonResult) {
    guard let policy = Self.best(in: result) else { return nil }
    self.policy = policy
    // In a recording with unknown hits, all of them count as fresh.
    let rule = result.isOfAppLog ? result.comparison.otherRules.first?.rule : nil
    figure = (rule ?? result.comparison.rule).objective
    direction = result.comparison.rule.direction
  }

  /// Adds the results with a memory limit.
  mutating func add(_ answer: ComparisonResult, memory: Int) {
    guard let values = answer.runs(of: policy)?.sample.complete(figure), !values.isEmpty else {
      return
    }
    points.append(Point(memory: memory, values: values))
  }

  /// The knee as a sentence; `nil` if the result without a limit is unknown.
  var text: String? {
    // The number of seeds that all levels have.
    let count = points.map(\.values.count).min() ?? 0
    func mean(_ point: Point) -> Double { point.values.prefix(count).reduce(0, +) / Double(count) }
    let levels = points.sorted { $0.memory < $1.memory }
    guard let last = levels.last, last.memory == Circumstance.unlimited, levels.count > 1 else {
      return nil
    }
    let unlimited = mean(last)
    let isRatio = figure.unit == .ratio
    let width = isRatio ? Self.tolerance : 2 * Self.tolerance * unlimited.magnitude
    let sign: Double = direction == .maximise ? 1 : -1
    let limited = levels.dropLast()
    func text(_ value: Double) -> String { HumanNumber.text(.real(value), unit: figure.unit) }
    let reach = isRatio ? "1 point" : "2 %"
    guard let knee = limited.first(where: { sign * (mean($0) - unlimited) >= -width }) else {
      guard let largest = limited.last else { return nil }
      return
        "\(policy): with \(HumanNumber.bytes(Double(largest.memory))) \(text(mean(largest))), without a limit "
        + "\(text(unlimited)): no limit up to there is within \(reach)"
    }
    let isLeast = knee.memory == limited.first?.memory
    return
      "\(policy): \(HumanNumber.bytes(Double(knee.memory)))\(isLeast ? " or less" : "") is within \(reach) of "
      + "unlimited (\(text(mean(knee))) and \(text(unlimited)))"
  }
}
