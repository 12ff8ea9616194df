import Analysis

/// A contender made so that its intervals are known beforehand.
///
/// It is behind the stream's own ups and downs by `behind`, and swings about that by ± `swing` from seed
/// to seed. Over an even number n of seeds, a difference to one that does not swing has the mean
/// `behind`, the standard deviation `swing` · √(n / (n − 1)), and so the half width
/// t · `swing` / √(n − 1).
struct Crafted {
  var name: String
  var behind = 0.0
  var swing = 0.0
  /// Additional amounts per seed, if a test needs more than a swing.
  var drift: @Sendable (_ seed: Int) -> Double = { _ in 0 }
  /// Other figures, the same at each seed.
  var constant: [Figure: Double] = [:]
  /// Other figures, by seed.
  var varying: [Figure: @Sendable (Int) -> Double?] = [:]

  init(
    _ name: String, behind: Double = 0, swing: Double = 0, _ constant: [Figure: Double] = [:],
    drift: @escaping @Sendable (_ seed: Int) -> Double = { _ in 0 }
  ) {
    self.name = name
    self.behind = behind
    self.swing = swing
    self.drift = drift
    self.constant = constant
  }

  static func sign(_ seed: Int) -> Double { seed.isMultiple(of: 2) ? 1 : -1 }

  /// The effect of a seed's stream on every contender: far more than any of them swings.
  static func level(_ seed: Int) -> Double { 0.6 + 0.3 * Double(seed * 37 % 101) / 101 }

  /// The sample of some seeds; of an objective that is minimised, `behind` is more.
  func sample(_ seeds: Range<Int>, by rule: Goal) -> ObservedSample {
    let direction = rule.direction == .maximise ? -1.0 : 1.0
    var columns = [
      ObservedSample.Column(
        rule.objective,
        seeds.map { Self.level($0) + direction * (behind + swing * Self.sign($0) + drift($0)) })
    ]
    for figure in constant.keys.sorted(by: { $0.name < $1.name }) {
      columns.append(.init(figure, seeds.map { _ in constant[figure] }))
    }
    for figure in varying.keys.sorted(by: { $0.name < $1.name }) {
      columns.append(.init(figure, seeds.map { varying[figure]?($0) ?? nil }))
    }
    return ObservedSample(contender: name, seedCount: seeds.count, columns: columns)
  }
}

extension [Crafted] {
  func samples(_ demand: Selection.Demand, by rule: Goal) -> [ObservedSample] {
    filter { demand.contenders.contains($0.name) }.map { $0.sample(demand.seeds, by: rule) }
  }

  func verdict(by rule: Goal, plan: SeedPlan = .fourLooks) -> ShipVerdict {
    Selection.verdict(by: rule, among: map(\.name), plan: plan) { samples($0, by: rule) }
  }
}

extension SeedPlan {
  /// The looks of the automatic plan, with nothing before them.
  static let fourLooks = SeedPlan(looks: [10, 20, 40, 100])
}

extension Goal {
  /// The most fresh reads within half a point, and nothing else asked.
  static let plain = Goal.freshReads(limits: nil)
}

extension ShipVerdict {
  var recommendation: Recommendation? {
    if case .ship(let recommendation) = outcome { recommendation } else { nil }
  }
  var equivalence: Equivalence? { if case .equivalent(let found) = outcome { found } else { nil } }
  var indecision: Indecision? { if case .notDecided(let found) = outcome { found } else { nil } }
  var shortfall: Shortfall? { if case .noneFeasible(let found) = outcome { found } else { nil } }
}
