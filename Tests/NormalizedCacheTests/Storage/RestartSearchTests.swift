import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

@Suite("A random search over restarts")
struct RestartSearchTests {
  @Test(
    "B51 What is stored is the state of one commit, and a cache that begins with it converges",
    arguments: 0..<16)
  func restarts(seed: Int) throws {
    var restarts = 0
    var batches = 0
    let shares = StoreSearchTests.shares * 2
    for (index, composition) in StoreSearchTests.compositions.enumerated()
    where (index + seed).isMultiple(of: shares) {
      var program = RestartProgram(
        seed: UInt64(seed * 1_000 + index), label: "\(composition.evictionOrder)")
      try program.run(composition, steps: 150)
      restarts += program.restarts
      batches += program.batches
    }
    #expect(restarts > 10)
    #expect(batches > 60)
  }
}
