/// After how many common seeds a selection looks at what it has.
package struct SeedPlan: Hashable, Sendable {
  /// Ascending counts of seeds.
  package let looks: [Int]

  /// Few seeds where differences are plain, up to 100 where they are small.
  package static let automatic = SeedPlan(looks: [10, 20, 40, 100])

  /// One look, after a number of seeds that was chosen beforehand.
  package static func fixed(_ seeds: Int) -> SeedPlan {
    SeedPlan(looks: [seeds])
  }

  /// - Precondition: at least one look; counts are positive and ascend.
  package init(looks: [Int]) {
    precondition(
      zip([0] + looks, looks).allSatisfy(<) && !looks.isEmpty, "looks follow each other: \(looks)")
    self.looks = looks
  }

  /// The level of each interval, so that all of them hold together in 95 of 100 selections at least.
  ///
  /// Bonferroni: the 5 % are shared out among the looks, and at each among the contenders that are
  /// compared with the best.
  package func level(contenders: Int) -> Double {
    1 - 0.05 / Double(looks.count * max(contenders - 1, 1))
  }
}
