#if PLANTED_DEFECTS
  import FaultSearch
  import NormalizedCache
  import Testing

  @Suite("Planted defects", .timeLimit(.minutes(30)))
  struct CanaryTests {
    /// The most seeds that any planted defect may stay hidden for.
    ///
    /// Without one, none of these seeds finds anything: they are the first of the search's own.
    private static let seedLimit: UInt64 = 1_500

    /// Where the search for a rare one begins, to save time: before them nothing is found.
    private static let firstSeeds: [PlantedDefect: UInt64] = [
      .renamedAfterRestart: 50, .dependentsFallUnreported: 560, .lastObserverIsNoUse: 1_480,
    ]

    @Test(
      "The search finds every planted defect, and shrinks it",
      arguments: PlantedDefect.allCases.filter { !$0.endsProcess })
    func findsEveryPlantedDefect(defect: PlantedDefect) throws {
      let found = ((Self.firstSeeds[defect] ?? 0)..<Self.seedLimit).lazy.map {
        FaultSearch.search(seed: $0, steps: 100, planting: defect)
      }.first { $0.divergence != nil }
      let outcome = try #require(found, "\(defect.rawValue) hides from \(Self.seedLimit) seeds")
      let divergence = try #require(outcome.divergence)
      var shrinker = Shrinker(outcome.faultCase, divergence, attempts: 2_000) {
        FaultSearch.replay($0, planting: defect)
      }
      shrinker.shrink()
      #expect(FaultSearch.replay(shrinker.smallest) == nil, "fails without the defect too")
      #expect(shrinker.smallest.steps.count <= 20, "\(defect.rawValue)")
      print(
        """
        \(defect.rawValue): seed \(outcome.faultCase.seed), \(divergence.promise.rawValue), \
        \(shrinker.smallest.steps.count) steps
        """)
    }

    @Test(
      "The search finds every slip in how a declared model is read, and shrinks it",
      arguments: ModelSlip.allCases)
    func findsEverySlip(slip: ModelSlip) throws {
      let declared = (0..<Self.seedLimit).filter { !FaultCase.drawn(seed: $0).shapes.isEmpty }
      let found = declared.lazy.map {
        FaultSearch.search(seed: $0, steps: 100, planting: slip)
      }.first { $0.divergence != nil }
      let outcome = try #require(found, "\(slip.rawValue) hides from \(declared.count) seeds")
      let divergence = try #require(outcome.divergence)
      var shrinker = Shrinker(outcome.faultCase, divergence, attempts: 2_000) {
        FaultSearch.replay($0, planting: slip)
      }
      shrinker.shrink()
      #expect(FaultSearch.replay(shrinker.smallest) == nil, "fails without the slip too")
      #expect(shrinker.smallest.steps.count <= 20, "\(slip.rawValue)")
      print(
        """
        \(slip.rawValue): seed \(outcome.faultCase.seed), \(divergence.promise.rawValue), \
        \(shrinker.smallest.steps.count) steps
        """)
    }
  }
#endif
