import CacheModel
import EvictionPolicies

/// Draws what becomes of each request, `h` for a hit and `m` for a miss: one letter of `requests`
/// is one entity.
///
///     outcomes(of: "lru", capacity: 3, "abcadb") == "mmmhmm"
///
/// What cannot be drawn (an unknown policy, a broken guarantee) is said in place of the picture, so
/// that a comparison fails with the reason.
package func outcomes(of policy: String, capacity: Int, _ requests: String) -> String {
  picture(of: policy, capacity: capacity, requests) { outcome in
    outcome == .hit ? "h" : "m"
  }
}

/// Draws whom each request evicts, `-` for nobody.
///
///     victims(of: "lru", capacity: 3, "abcadb") == "----bc"
package func victims(of policy: String, capacity: Int, _ requests: String) -> String {
  picture(of: policy, capacity: capacity, requests) { outcome in
    guard case .miss(let evicted?) = outcome, let scalar = Unicode.Scalar(UInt32(evicted)) else {
      return "-"
    }
    return Character(scalar)
  }
}

private func picture(
  of policy: String, capacity: Int, _ requests: String,
  draw: (PlainCache.Outcome) -> Character
) -> String {
  guard let descriptor = EvictionPolicies.named(policy) else { return "no policy '\(policy)'" }
  var cache = PlainCache(of: descriptor, capacity: capacity, random: RandomSource(seed: 1))
  do throws(ConformanceFailure) {
    return String(try cache.run(requests.unicodeScalars.map { UInt64($0.value) }).map(draw))
  } catch {
    return error.description
  }
}
