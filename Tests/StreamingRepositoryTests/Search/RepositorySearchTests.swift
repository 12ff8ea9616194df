import CacheTestSupport
import StreamingRepository
import Testing

/// Random programs of views, pulls, logins, changes, faults and restarts against an oracle.
@Suite("The search for faults of a repository's store", .timeLimit(.minutes(30)))
struct RepositorySearchTests {
  @Test("S4 S6 S7 S8 S9 S10 S11 No random program breaks a promise")
  func sound() throws { try RepositoryProgram.expectSound() }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedRepositoryDefect.allCases)
    func canaries(defect: PlantedRepositoryDefect) throws {
      try RepositoryProgram.expectFound(defect, within: 15)
    }
  #endif
}

extension RepositoryProgram: SearchProgram {
  func failure(planting defect: PlantedRepositoryDefect?) throws -> String? {
    try RepositoryRun.failure(of: self, defect: defect)
  }
}
