import CacheSimulation
import CacheTestSupport
import StreamingRepository
import Testing

/// Random programs of views, pulls, logins, changes, faults and restarts against an oracle.
@Suite("The search for faults of a repository's store", .timeLimit(.minutes(30)))
struct RepositorySearchTests {
  static let seeds = UInt64(Trials.count(500, of: 20_000))

  @Test("S4 S6 S7 S8 S9 S10 S11 No random program breaks a promise")
  func sound() throws {
    for seed in 0..<Self.seeds {
      let program = RepositoryProgram(seed: seed, steps: 200)
      guard let failure = try RepositoryRun.failure(of: program, defect: nil) else { continue }
      let shrunk = try Self.shrunk(program, defect: nil)
      let plain = try RepositoryRun.failure(of: shrunk, defect: nil)
      Issue.record("seed \(seed): \(failure); \(shrunk.options) \(shrunk.steps): \(plain ?? "")")
      return
    }
  }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedRepositoryDefect.allCases)
    func canaries(defect: PlantedRepositoryDefect) throws {
      for seed in 0..<1_500 {
        let program = RepositoryProgram(seed: UInt64(seed), steps: 200)
        guard try RepositoryRun.failure(of: program, defect: defect) != nil else { continue }
        let shrunk = try Self.shrunk(program, defect: defect)
        #expect(shrunk.steps.count <= 15, "\(shrunk.steps)")
        return
      }
      Issue.record("\(defect) stays hidden")
    }
  #endif

  /// Leaves out steps while a program still fails.
  private static func shrunk(
    _ program: RepositoryProgram, defect: PlantedRepositoryDefect?
  ) throws -> RepositoryProgram {
    var shrunk = program
    var reduction = StepReduction(trials: .max)
    _ = try reduction.reduce(program.steps.count) { places in
      var candidate = program
      candidate.steps = places.map { program.steps[$0] }
      guard try RepositoryRun.failure(of: candidate, defect: defect) != nil else { return false }
      shrunk = candidate
      return true
    }
    return shrunk
  }
}
