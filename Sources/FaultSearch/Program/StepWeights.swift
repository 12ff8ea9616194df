import CacheModel

/// How often a program takes each kind of step: drawn anew for each seed, and some not at all.
///
/// A program that never hears a heartbeat, or is only told of batches, gets further into its corner
/// than one that does a little of everything. Source: Groce et al., "Swarm testing", ISSTA 2012.
struct StepWeights: Sendable {
  private var weights: [Int]
  private let sum: Int

  /// What most programs do often, so that something is there for the rest to disturb.
  private static let usual: [StepKind: Int] = [
    .change: 8, .batch: 3, .delete: 3, .deliver: 12, .read: 6, .observe: 3, .answer: 10, .wait: 5,
    .answerReconcile: 6, .readEntity: 3, .leave: 2, .serve: 4, .begin: 2,
    .enqueue: 2, .carryOut: 5, .confirm: 4, .heartbeat: 3,
    .store: 4, .written: 4,
  ]

  /// Kinds that came later, drawn for themselves, so that seeds without them keep their programs.
  private static let later: [StepKind] = [.clear, .release]

  /// - Parameters:
  ///   - random: draws the weights.
  ///   - later: those of the kinds that came later.
  ///   - isDeclared: whether the app declares its queries: then lists are shown and change.
  init(random: inout RandomSource, later: inout RandomSource, isDeclared: Bool) {
    let share = random.unit() * 0.4
    weights = StepKind.allCases.dropLast(Self.later.count).map { kind in
      let isOff = random.chance(share)
      let weight = (Self.usual[kind] ?? 1) * (1 + random.below(6))
      return isOff ? 0 : weight
    }
    // Some kinds come often: what is told in bulk, lost, slow or edited in half of all steps meets what it
    // meets seldom.
    for _ in 0..<random.below(5) {
      let index = random.below(weights.count)
      weights[index] = max(weights[index], 1) * [4, 10, 25][random.below(3)]
    }
    // A program in which nothing happens, or no one looks, shows nothing.
    for kind in [StepKind.change, .read] where random.chance(0.9) {
      weights[Self.index(kind)] = max(weights[Self.index(kind)], 8)
    }
    if weights.allSatisfy({ $0 == 0 }) { weights[Self.index(.change)] = 1 }
    let hasLater = later.chance(0.3)
    weights += Self.later.map { _ in hasLater ? later.below(6) : 0 }
    if isDeclared, later.chance(0.7) {
      let most = weights.max() ?? 0
      for kind in [StepKind.change, .deliver, .observe, .answer] {
        weights[Self.index(kind)] = max(weights[Self.index(kind)], most / 3)
      }
    }
    sum = weights.reduce(0, +)
  }

  func draw(_ random: inout RandomSource) -> StepKind {
    var rest = random.below(sum)
    for (index, weight) in weights.enumerated() {
      rest -= weight
      if rest < 0 { return StepKind.allCases[index] }
    }
    return .change
  }

  private static func index(_ kind: StepKind) -> Int {
    StepKind.allCases.firstIndex(of: kind) ?? 0
  }
}
