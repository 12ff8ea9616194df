/// What a comparison has several of, each met by every contender.
package enum Replicate: String, Hashable, Sendable {
  /// A stream that is drawn.
  case seed
  /// Everything that was recorded of one user.
  case user

  /// Of fewer no interval is claimed: people differ in more than chance, and two or three show little of it.
  package var fewestForInterval: Int { self == .seed ? 2 : 4 }

  /// "1 seed", "20 users".
  package func text(_ count: Int) -> String { "\(count) \(rawValue)\(count == 1 ? "" : "s")" }
}

/// After how many common seeds a selection looks at what it has.
package struct SeedPlan: Hashable, Sendable {
  /// After so many seeds, fewer than the first look's, a contender that is hopeless is dropped; `nil`:
  /// nothing is decided before the first look.
  package let screening: Int?
  /// Ascending counts of seeds.
  package let looks: [Int]
  /// Where more seeds than these would be needed, nothing is decided, and no further look made; `nil`: every
  /// look is.
  package let mostNeeded: Int?
  package let replicate: Replicate

  /// By fewer the number that is needed is too uncertain to give up.
  static let fewestToGiveUp = 20

  /// Few seeds if differences are plain, up to 100 if they are small, and 20 or 40 where hundreds would not do.
  package static let automatic = SeedPlan(
    screening: 5, looks: [10, 20, 40, 100], mostNeeded: 400)

  /// The same seeds looked at by other figures, which decide nothing but whether a verdict is robust.
  package static let ofOtherRules = SeedPlan(looks: [5, 10])

  /// One look, after a number of seeds that was chosen beforehand.
  package static func fixed(_ seeds: Int) -> SeedPlan {
    SeedPlan(looks: [seeds])
  }

  /// One look at all users that there are.
  package static func users(_ count: Int) -> SeedPlan {
    SeedPlan(looks: [count], of: .user)
  }

  /// Whether no look has enough for an interval.
  package var isWithoutIntervals: Bool { (looks.last ?? 0) < replicate.fewestForInterval }

  /// One look at the seeds, or users, that every contender runs.
  package var firstLook: SeedPlan { SeedPlan(looks: [common], of: replicate) }

  /// - Precondition: at least one look; counts are positive and ascend, and a screening has two seeds.
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

  /// All counts of seeds at which something may be decided.
  package var stops: [Int] { (screening.map { [$0] } ?? []) + looks }

  /// The seeds that every contender runs.
  package var common: Int { stops[0] }

  /// What a selection may be wrong by.
  private static let error = 0.05
  /// The part of it that is spent before the first look.
  private static let errorOfScreening = 0.005

  /// The level of each interval of a look, so that all of them hold together in 95 of 100 selections at
  /// least.
  ///
  /// Bonferroni: the 5 %, or what the screening leaves of it, are shared out among the looks, and at each
  /// among the contenders that are compared with the best.
  package func level(contenders: Int) -> Double {
    let error = screening == nil ? Self.error : Self.error - Self.errorOfScreening
    return 1 - error / Double(looks.count * max(contenders - 1, 1))
  }

  /// The level of each interval of the screening.
  package func screeningLevel(contenders: Int) -> Double {
    1 - Self.errorOfScreening / Double(max(contenders - 1, 1))
  }
}
