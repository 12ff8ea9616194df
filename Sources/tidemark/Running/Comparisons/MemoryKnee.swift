import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// The least memory within which the best policy is about as good as without a limit: less costs hits, more
/// brings none.
struct MemoryKnee {
  /// What the whole cache may take, in bytes.
  private struct Point {
    var memory: Int
    /// The objective, seed by seed or user by user.
    var values: [Double]
  }

  /// In sixteenths of what `lru` takes at the scenario's limit: these are asked beside its half, all and twice of it.
  static let sixteenths = [1, 2, 4, 64, 128]

  /// How far from no limit it may lie: in the unit of a ratio; of anything else twice that as a share.
  private static let tolerance = 0.01

  private let policy: String
  private let figure: Figure
  private let direction: Goal.Direction
  private var points: [Point] = []

  /// Who has a point at every level: whose knee it is, and whom it is compared with.
  static func followed(in result: ComparisonResult) -> [String] {
    [best(in: result), "lru"].compactMap(\.self)
  }

  /// Who is named, else who leads as far as is known.
  private static func best(in result: ComparisonResult) -> String? {
    guard let verdict = result.verdict else { return nil }
    if case .notDecided(let indecision) = verdict.outcome {
      return indecision.leader ?? indecision.left.first
    }
    return (result.recordedVerdict.map(\.candidates) ?? verdict.named).first
  }

  /// The knee of who is named; `nil` where nobody is.
  ///
  /// - Parameter result: what the comparison came to.
  init?(of result: ComparisonResult) {
    guard let policy = Self.best(in: result) else { return nil }
    self.policy = policy
    // Of a recording that does not tell which hits were fresh, as if all of them had been.
    let rule = result.isOfAppLog ? result.comparison.otherRules.first?.rule : nil
    figure = (rule ?? result.comparison.rule).objective
    direction = result.comparison.rule.direction
  }

  /// Adds what was run within so much memory.
  mutating func add(_ answer: ComparisonResult, memory: Int) {
    guard let values = answer.runs(of: policy)?.sample.complete(figure), !values.isEmpty else {
      return
    }
    points.append(Point(memory: memory, values: values))
  }

  /// As a sentence; `nil` where it is not known what no limit would bring.
  var text: String? {
    // Of the seeds that all levels have.
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
