import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

@Suite("A random search over restarts")
struct RestartSearchTests {
  private static let steps = 150

  /// The programs of one seed: each with a composition of the seed's share.
  private static func programs(seed: Int) -> [(seed: UInt64, composition: PolicyComposition)] {
    StoreSearchTests.compositions.enumerated().compactMap { index, composition in
      guard (index + seed).isMultiple(of: StoreSearchTests.shares * 2) else { return nil }
      return (UInt64(seed * 1_000 + index), composition)
    }
  }

  @Test(
    "B51 What is stored is the state of one commit, and a cache that begins with it converges",
    arguments: 0..<16)
  func restarts(seed: Int) throws {
    var restarts = 0
    var batches = 0
    for (seed, composition) in Self.programs(seed: seed) {
      var program = RestartProgram(seed: seed, label: "\(composition.evictionOrder)")
      try program.run(composition, steps: Self.steps)
      #expect(program.failure == nil)
      restarts += program.restarts
      batches += program.batches
    }
    #expect(restarts > 10)
    #expect(batches > 60)
  }

  #if PLANTED_DEFECTS
    /// The programs of the first seed find nothing without a defect: they are among those above.
    @Test(
      "Within the programs of one seed the search finds a defect of what is stored",
      arguments: PlantedDefect.allCases.filter(\.isOfStorage))
    func findsPlantedDefect(defect: PlantedDefect) throws {
      var failure: String?
      for (seed, composition) in Self.programs(seed: 0) where failure == nil {
        var program = RestartProgram(seed: seed, label: "\(composition.evictionOrder)") {
          $0.plantedDefect = defect
        }
        try program.run(composition, steps: Self.steps)
        failure = program.failure
      }
      let found = try #require(failure, "\(defect.rawValue) is not found")
      #expect(found.contains("what is stored is not what the store held"))
    }
  #endif
}
