import CacheModel
import FaultSearch
import Testing

@Suite("The search for faults")
struct SearchTests {
  @Test("B57 No program breaks a promise", arguments: 0..<20)
  func noProgramBreaksAPromise(share: Int) {
    var tally = StepTally()
    var found: [String: Int] = [:]
    for seed in share * 500..<(share + 1) * 500 {
      let outcome = FaultSearch.search(seed: UInt64(seed), steps: 60)
      tally += outcome.tally
      if let divergence = outcome.divergence {
        found[divergence.promise.rawValue, default: 0] += 1
        if found[divergence.promise.rawValue, default: 0] < 2 {
          var shrinker = Shrinker(outcome.faultCase, divergence)
          shrinker.shrink()
          print(
            "seed \(seed): \(shrinker.divergence)\n"
              + String(decoding: CaseFile.write(shrinker.smallest), as: UTF8.self))
        }
      }
    }
    print(share, tally.steps, found)
  }
}
