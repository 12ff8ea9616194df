import CacheTestSupport
import Testing
import TwoTierCache

/// Random programs of reads, writes, faults, siblings and restarts against an oracle.
@Suite("The search for faults of a two-tier store", .timeLimit(.minutes(30)))
struct StoreSearchTests {
  @Test("T4 T6 T8 T11 No random program breaks a promise")
  func sound() throws { try StoreProgram.expectSound() }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedTwoTierDefect.allCases)
    func canaries(defect: PlantedTwoTierDefect) throws {
      try StoreProgram.expectFound(defect, within: 30)
    }
  #endif
}

extension StoreProgram: SearchProgram {
  func failure(planting defect: PlantedTwoTierDefect?) throws -> String? {
    try StoreRun.failure(of: self, defect: defect)
  }
}
