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
      let seeds = (Self.firstSeeds[defect] ?? 0)..<Self.seedLimit
      try expectFound(defect.rawValue, in: seeds) { $0.plantedDefect = defect }
    }

    @Test(
      "The search finds every slip in how a declared model is read, and shrinks it",
      arguments: ModelSlip.allCases)
    func findsEverySlip(slip: ModelSlip) throws {
      let declared = (0..<Self.seedLimit).filter { !FaultCase.drawn(seed: $0).shapes.isEmpty }
      try expectFound(slip.rawValue, in: declared) { $0.modelSlip = slip }
    }

    /// Expects that one of the seeds shows the planted fault, in a case that shrinks, and that the sound store passes.
    private func expectFound(
      _ name: String, in seeds: some Collection<UInt64>,
      plant: @escaping (inout FaultCase) -> Void
    ) throws {
      func planted(_ sound: FaultCase) -> FaultCase {
        var faultCase = sound
        plant(&faultCase)
        return faultCase
      }
      let found = seeds.lazy.map {
        FaultSearch.search(planted(.drawn(seed: $0)), steps: 100)
      }.first { $0.divergence != nil }
      let outcome = try #require(found, "\(name) hides from \(seeds.count) seeds")
      let divergence = try #require(outcome.divergence)
      var sound = outcome.faultCase
      (sound.plantedDefect, sound.modelSlip) = (nil, nil)
      var shrinker = Shrinker(sound, divergence, attempts: 2_000) {
        FaultSearch.replay(planted($0))
      }
      shrinker.shrink()
      #expect(FaultSearch.replay(shrinker.smallest) == nil, "fails without \(name) too")
      #expect(shrinker.smallest.steps.count <= 20, "\(name)")
      print(
        """
        \(name): seed \(outcome.faultCase.seed), \(divergence.promise.rawValue), \
        \(shrinker.smallest.steps.count) steps
        """)
    }
  }
#endif
