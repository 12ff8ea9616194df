import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

/// Misses of every policy on generated traces, as whole numbers: any change of a policy's order
/// shows here.
///
/// A line that differs is printed as it should stand, so that an intended change is copied in.
@Suite("Golden misses")
struct GoldenMissTests {
  static let capacities = [10, 100, 500]

  static func line(of descriptor: EvictionPolicyDescriptor, exponent: Double) -> String {
    let trace = ZipfTrace(requests: 20_000, keys: 2_000, exponent: exponent, seed: 42)
    let misses = capacities.map { capacity in
      let counts = descriptor.replayUnitSize(
        trace.ids.span, trace.distinct, capacity, RandomSource(seed: 42))
      return String(counts.misses)
    }
    return "\(descriptor.name) \(exponent): " + misses.joined(separator: " ")
  }

  @Test("every policy has a line, and each line holds")
  func lines() {
    let printed = EvictionPolicies.all.flatMap { descriptor in
      [0.7, 1.0].map { Self.line(of: descriptor, exponent: $0) }
    }
    #expect(
      printed == Self.golden, "now:\n\(printed.map { "    \"\($0)\"," }.joined(separator: "\n"))")
  }

  static let golden = [
    "lru 0.7: 19418 16088 10095",
    "lru 1.0: 16467 9931 5046",
    "fifo 0.7: 19448 16564 10906",
    "fifo 1.0: 16909 11032 5895",
    "clock 0.7: 19385 15850 9826",
    "clock 1.0: 16192 9659 4883",
    "sieve 0.7: 17986 14117 8891",
    "sieve 1.0: 13814 8067 4470",
    "random 0.7: 19425 16551 10936",
    "random 1.0: 16952 11063 5877",
    "mru 0.7: 19839 18921 14726",
    "mru 1.0: 19365 18260 13676",
    "slru 0.7: 17923 14008 8977",
    "slru 1.0: 13797 8262 4392",
    "w-tinylfu 0.7: 17595 13703 8683",
    "w-tinylfu 1.0: 13274 8038 4287",
    "hyperbolic 0.7: 19386 15612 9540",
    "hyperbolic 1.0: 15834 9389 4729",
    "gdsf 0.7: 19157 14981 9138",
    "gdsf 1.0: 14174 8812 4612",
    "size 0.7: 19418 16088 10095",
    "size 1.0: 16467 9931 5046",
    "expiring-first 0.7: 19418 16088 10095",
    "expiring-first 1.0: 16467 9931 5046",
    "unbounded 0.7: 1983 1983 1983",
    "unbounded 1.0: 1788 1788 1788",
  ]
}
