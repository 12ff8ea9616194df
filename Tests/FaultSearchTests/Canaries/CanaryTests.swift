#if PLANTED_DEFECTS
  import FaultSearch
  import NormalizedCache
  import Testing

  @Suite("Planted defects")
  struct CanaryTests {
    /// The most seeds that any planted defect may stay hidden for.
    private static let seedLimit: UInt64 = 1_000

    @Test("The search finds every planted defect", arguments: PlantedDefect.allCases)
    func findsEveryPlantedDefect(defect: PlantedDefect) {
      let found = (0..<Self.seedLimit).lazy.map {
        FaultSearch.search(seed: $0, steps: 60, planting: defect)
      }.first { $0.divergence != nil }
      if let found, let divergence = found.divergence {
        print("\(defect.rawValue): seed \(found.faultCase.seed), \(divergence.promise.rawValue)")
      } else {
        Issue.record("\(defect.rawValue) stays hidden for \(Self.seedLimit) seeds")
      }
    }
  }
#endif
