import CacheModel
import TraceReplay
import Workloads

/// Traces of independent requests whose keys are popular by Zipf's law.
enum SyntheticTrace {
  /// Draws a trace; the same seed draws the same on every machine.
  ///
  /// - Parameters:
  ///   - requests: how many.
  ///   - keys: how many keys there are to ask for; not all need appear.
  ///   - exponent: above 0; the greater, the more unequal.
  ///   - seed: of the draws.
  /// - Returns: the trace, its keys numbered by first appearance.
  /// - Complexity: O(requests + keys).
  static func zipf(requests: Int, keys: Int, exponent: Double, seed: UInt64) -> InternedTrace {
    let zipf = Zipf(count: keys, exponent: exponent)
    var random = RandomSource(seed: seed).substream("synthetic-trace")
    var numbers = [UInt32](repeating: .max, count: keys)
    var distinct: UInt32 = 0
    let ids = [UInt32](unsafeUninitializedCapacity: requests) { ids, count in
      for index in 0..<requests {
        let rank = zipf.sample(&random)
        if numbers[rank] == .max {
          numbers[rank] = distinct
          distinct += 1
        }
        ids[index] = numbers[rank]
      }
      count = requests
    }
    return InternedTrace(name: "zipf-\(exponent)", ids: ids, distinct: Int(distinct))
  }
}
