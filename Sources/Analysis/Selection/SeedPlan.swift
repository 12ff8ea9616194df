/// The replicates of a comparison, each used by every contender.
package enum Replicate: String, Hashable, Sendable {
  /// A generated stream.
  case seed
  /// All recordings of one user.
  case user

  /// The minimum number for an interval: people differ by more than chance, and two or three show little of
  /// it.
  package var fewestForInterval: Int { self == .seed ? 2 : 4 }

  /// Returns "1 seed", "20 users".
  package func text(_ count: Int) -> String { "\(count) \(rawValue)\(count == 1 ? "" : "s")" }
}

/// The numbers of common seeds after which a selection evaluates its data.
package struct SeedPlan: Hashable, Sendable {
  /// The number of seeds, fewer than the first look's, after which hopeless contenders are dropped; `nil`:
  /// none are dropped before the first look.
  package let screening: Int?
  /// Ascending numbers of seeds.
  package let looks: [Int]
  /// If more seeds than this would be needed, the selection ends undecided without further looks; `nil`:
  /// every look is made.
  package let mostNeeded: Int?
  package let replicate: Replicate

  /// With fewer seeds the estimate of the number needed is too uncertain to give up.
  static let fewestToGiveUp = 20

  /// The default: few seeds if differences are clear, up to 100 if they are small, and 20 or 40 if hundreds
  /// would not suffice.
  package static let automatic = SeedPlan(
    screening: 5, looks: [10, 20, 40, 100], mostNeeded: 400)

  /// A plan for checks of robustness with other goals.
  package static let ofOtherRules = SeedPlan(looks: [5, 10])

  /// Returns a plan with one look, after a fixed number of seeds.
  package static func fixed(_ seeds: Int) -> SeedPlan {
    SeedPlan(looks: [seeds])
  }

  package static func users(_ count: Int) -> SeedPlan {
    SeedPlan(looks: [count], of: .user)
  }

  /// Whether no look has enough replicates for an interval.
  package var isWithoutIntervals: Bool { (looks.last ?? 0) < replicate.fewestForInterval }

  /// A plan with one look at the replicates that every contender runs.
  package var firstLook: SeedPlan { SeedPlan(looks: [common], of: replicate) }

  /// - Precondition: at least one look; counts are positive and ascending, and a screening has at least two
  ///   seeds.
  package init(
    screening: Int? = nil, looks: [Int], mostNeeded: Int? = nil, of replicate: Replicate = .seed
  ) {
    self.screening = screening
    self.looks = looks
    self.mostNeeded = mostNeeded
    self.replicate = replicate
    precondition(
      !looks.isEmpty && zip([0] + stops, stops).allSatisfy(<) && (screening ?? 2) > 1,
      "looks follow each other: \(stops)")
  }

  /// All numbers of seeds at which something may be decided.
  package var stops: [Int] { (screening.map { [$0] } ?? []) + looks }

  /// The number of seeds that every contender runs.
  package var common: Int { stops[0] }

  /// The family error level of a selection.
  private static let error = 0.05
  /// The part of it that the screening uses.
  private static let errorOfScreening = 0.005

  /// Returns the level of each interval of a look, such that all of them are correct in at least 95 of 100
  /// selections.
  ///
  /// Bonferroni: the 5 %, minus the screening's part, are divided among the looks, and at each look among the
  /// contenders compared with the best.
  package func level(contenders: Int) -> Double {
    let error = screening == nil ? Self.error : Self.error - Self.errorOfScreening
    return 1 - error / Double(looks.count * max(contenders - 1, 1))
  }

  package func screeningLevel(contenders: Int) -> Double {
    1 - Self.errorOfScreening / Double(max(contenders - 1, 1))
  }
}
