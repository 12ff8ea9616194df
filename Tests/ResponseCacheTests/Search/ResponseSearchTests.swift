import CacheSimulation
import CacheTestSupport
import ResponseCache
import Testing

/// Random programs of fetches, faults, tags, downloads and restarts against an oracle.
@Suite("The search for faults of a response store", .timeLimit(.minutes(30)))
struct ResponseSearchTests {
  static let seeds = UInt64(Trials.count(500, of: 20_000))

  @Test("R3 R4 R5 R6 R9 R11 R12 R14 R20 No random program breaks a promise")
  func sound() throws {
    for seed in 0..<Self.seeds {
      let program = StoreProgram(seed: seed, steps: 200)
      guard let failure = try StoreRun.failure(of: program, defect: nil) else { continue }
      let (shrunk, words) = try Self.shrunk(program, defect: nil, failure)
      Issue.record("seed \(seed): \(failure); \(words); \(shrunk.options) \(shrunk.steps)")
      return
    }
  }

  #if PLANTED_DEFECTS
    @Test(
      "Every planted defect is found, and by a short program",
      arguments: PlantedResponseDefect.allCases)
    func canaries(defect: PlantedResponseDefect) throws {
      for seed in 0..<1_500 {
        let program = StoreProgram(seed: UInt64(seed), steps: 200)
        guard let failure = try StoreRun.failure(of: program, defect: defect) else { continue }
        let (shrunk, words) = try Self.shrunk(program, defect: defect, failure)
        #expect(shrunk.steps.count <= 30, "\(words): \(shrunk.steps)")
        return
      }
      Issue.record("\(defect) stays hidden")
    }
  #endif

  /// Leaves out steps while a program still fails.
  private static func shrunk(
    _ program: StoreProgram, defect: PlantedResponseDefect?, _ failure: String
  ) throws -> (StoreProgram, String) {
    var (shrunk, words) = (program, failure)
    var reduction = StepReduction(trials: .max)
    _ = try reduction.reduce(program.steps.count) { places in
      var candidate = program
      candidate.steps = places.map { program.steps[$0] }
      guard let failure = try StoreRun.failure(of: candidate, defect: defect) else { return false }
      (shrunk, words) = (candidate, failure)
      return true
    }
    return (shrunk, words)
  }
}
