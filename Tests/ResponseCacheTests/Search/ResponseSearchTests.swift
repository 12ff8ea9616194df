import CacheTestSupport
import ResponseCache
import Testing

/// Random programs of fetches, faults, tags, downloads and restarts against an oracle.
@Suite("The search for faults of a response store", .timeLimit(.minutes(30)))
struct ResponseSearchTests {
  @Test("R3 R4 R5 R6 R9 R11 R12 R14 R20 No random program breaks a promise")
  func sound() throws { try StoreProgram.expectSound() }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedResponseDefect.allCases)
    func canaries(defect: PlantedResponseDefect) throws {
      try StoreProgram.expectFound(defect, within: 30)
    }
  #endif
}

extension StoreProgram: SearchProgram {
  func failure(planting defect: PlantedResponseDefect?) throws -> String? {
    try StoreRun.failure(of: self, defect: defect)
  }
}
