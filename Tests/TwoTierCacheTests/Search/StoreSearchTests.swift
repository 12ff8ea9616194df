import CacheSimulation
import CacheTestSupport
import Testing
import TwoTierCache

/// Random programs of reads, writes, faults, siblings and restarts against an oracle.
@Suite("The search for faults of a two-tier store", .timeLimit(.minutes(30)))
struct StoreSearchTests {
  static let seeds = UInt64(Trials.count(500, of: 20_000))

  @Test("T4 T6 T8 T11 No random program breaks a promise")
  func sound() throws {
    for seed in 0..<Self.seeds {
      let program = StoreProgram(seed: seed, steps: 200)
      guard let failure = try StoreRun.failure(of: program, defect: nil) else { continue }
      let shrunk = try Self.shrunk(program, defect: nil)
      Issue.record("seed \(seed): \(failure); \(shrunk.options) \(shrunk.steps)")
      return
    }
  }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedTwoTierDefect.allCases)
    func canaries(defect: PlantedTwoTierDefect) throws {
      for seed in 0..<1_500 {
        let program = StoreProgram(seed: UInt64(seed), steps: 200)
        guard try StoreRun.failure(of: program, defect: defect) != nil else { continue }
        let shrunk = try Self.shrunk(program, defect: defect)
        #expect(shrunk.steps.count <= 30, "\(shrunk.steps)")
        return
      }
      Issue.record("\(defect) stays hidden")
    }
  #endif

  /// Leaves out steps while a program still fails.
  private static func shrunk(
    _ program: StoreProgram, defect: PlantedTwoTierDefect?
  ) throws -> StoreProgram {
    var shrunk = program
    var reduction = StepReduction(trials: .max)
    _ = try reduction.reduce(program.steps.count) { places in
      var candidate = program
      candidate.steps = places.map { program.steps[$0] }
      guard try StoreRun.failure(of: candidate, defect: defect) != nil else { return false }
      shrunk = candidate
      return true
    }
    return shrunk
  }
}
