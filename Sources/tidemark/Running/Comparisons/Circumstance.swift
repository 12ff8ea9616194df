import Analysis
import NormalizedCache
import Workloads

/// A comparison under other circumstances, to see whether its verdict stands there.
struct Circumstance: Sendable {
  var label: String
  var comparison: Comparison

  /// So many seeds answer whether a verdict stands elsewhere.
  private static let seeds = 10
  /// The longer run that a verdict has to stand.
  private static let longer = 4

  /// What is asked of every verdict that was drawn from several seeds.
  static func all(for result: ComparisonResult) -> [Circumstance] {
    let comparison = result.comparison
    guard comparison.plan != .fixed(1), comparison.session.isDrawn else { return [] }
    var asked: [Circumstance] = []
    func ask(_ label: String, _ change: (inout Comparison) -> Void) {
      var other = comparison
      other.plan = .fixed(min(seeds, comparison.plan.looks.last ?? seeds))
      other.otherRules = []
      other.seedsWithRows = 0
      other.contestants.removeAll { PolicyEntry.bounds.contains($0.name) }
      change(&other)
      asked.append(Circumstance(label: label, comparison: other))
    }
    ask("users who wait") { $0.session.file.scenario = $0.session.file.scenario.withWaitingUsers }
    ask("\(longer) × the duration") {
      $0.session.file.scenario = $0.session.file.scenario.prolonged(by: longer)
    }
    return asked
  }
}
