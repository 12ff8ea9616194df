import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

/// Misses of every policy on generated traces, as whole numbers: any change of a policy's order
/// shows here.
///
/// A line that differs is printed as it should be, so that an intended change is copied in.
@Suite("Golden misses", .timeLimit(.minutes(30)))
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

  @Test("every policy has a line, and each line is right")
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
    "mru 0.7: 19839 18921 14726",
    "mru 1.0: 19365 18260 13676",
    "slru 0.7: 17923 14008 8977",
    "slru 1.0: 13797 8262 4392",
    "clock 0.7: 19385 15850 9826",
    "clock 1.0: 16192 9659 4883",
    "sieve 0.7: 17986 14117 8891",
    "sieve 1.0: 13814 8067 4470",
    "fifo 0.7: 19448 16564 10906",
    "fifo 1.0: 16909 11032 5895",
    "s3-fifo 0.7: 17722 13891 9028",
    "s3-fifo 1.0: 13401 8119 4415",
    "two-queue 0.7: 18176 14409 9432",
    "two-queue 1.0: 14042 8599 4801",
    "lfu 0.7: 17749 14290 8898",
    "lfu 1.0: 14045 8253 4470",
    "lfu-aging 0.7: 17674 13975 8870",
    "lfu-aging 1.0: 13479 8312 4435",
    "w-tinylfu 0.7: 17595 13703 8683",
    "w-tinylfu 1.0: 13274 8038 4287",
    "hyperbolic 0.7: 19386 15612 9540",
    "hyperbolic 1.0: 15834 9389 4729",
    "arc 0.7: 18025 14253 9367",
    "arc 1.0: 13872 8356 4630",
    "car 0.7: 17882 14124 9234",
    "car 1.0: 13681 8240 4557",
    "lirs 0.7: 18500 14541 9216",
    "lirs 1.0: 14252 8466 4472",
    "gdsf 0.7: 19157 14981 9138",
    "gdsf 1.0: 14174 8812 4612",
    "size 0.7: 19418 16088 10095",
    "size 1.0: 16467 9931 5046",
    "expiring-first 0.7: 19418 16088 10095",
    "expiring-first 1.0: 16467 9931 5046",
    "clairvoyant 0.7: 16472 10848 5381",
    "clairvoyant 1.0: 12125 6268 2836",
    "clairvoyant-bypass 0.7: 16311 10825 5378",
    "clairvoyant-bypass 1.0: 11893 6249 2834",
    "unbounded 0.7: 1983 1983 1983",
    "unbounded 1.0: 1788 1788 1788",
    "random 0.7: 19425 16551 10936",
    "random 1.0: 16952 11063 5877",
  ]
}
