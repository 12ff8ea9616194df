import CacheSimulation
import Testing

/// A random program for a store, which is run against an oracle.
package protocol SearchProgram {
  associatedtype Step
  associatedtype Defect

  var steps: [Step] { get set }

  init(seed: UInt64, steps: Int)

  /// The first failure, in words; `nil`: none.
  func failure(planting defect: Defect?) throws -> String?
}

extension SearchProgram {
  /// Records the first of many programs that fails, shrunk.
  package static func expectSound() throws {
    for seed in 0..<UInt64(Trials.count(500, of: 20_000)) {
      let program = Self(seed: seed, steps: 200)
      guard let failure = try program.failure(planting: nil) else { continue }
      let (shrunk, words) = try program.shrunk(planting: nil, failure)
      Issue.record("seed \(seed): \(failure); \(words); \(shrunk)")
      return
    }
  }

  /// Records where a planted defect stays hidden, or shows only in programs longer than `most` steps.
  package static func expectFound(_ defect: Defect, within most: Int) throws {
    for seed in 0..<UInt64(1_500) {
      let program = Self(seed: seed, steps: 200)
      guard let failure = try program.failure(planting: defect) else { continue }
      let (shrunk, words) = try program.shrunk(planting: defect, failure)
      #expect(shrunk.steps.count <= most, "\(words): \(shrunk.steps)")
      return
    }
    Issue.record("\(defect) stays hidden")
  }

  /// Leaves out steps while a program still fails.
  private func shrunk(
    planting defect: Defect?, _ failure: String
  ) throws -> (program: Self, words: String) {
    var (shrunk, words) = (self, failure)
    var reduction = StepReduction(trials: .max)
    _ = try reduction.reduce(steps.count) { places in
      var candidate = self
      candidate.steps = places.map { steps[$0] }
      guard let failure = try candidate.failure(planting: defect) else { return false }
      (shrunk, words) = (candidate, failure)
      return true
    }
    return (shrunk, words)
  }
}
