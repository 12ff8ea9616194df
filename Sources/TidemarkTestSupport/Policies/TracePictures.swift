import CacheModel
public import EvictionPolicies

/// Draws what becomes of each request, `h` for a hit and `m` for a miss: one letter of `requests`
/// is one entity.
///
///     outcomes(of: EvictionPolicyDescriptor(LRU.self), capacity: 3, "abcadb") == "mmmhmm"
///
/// What cannot be drawn (a broken guarantee) is said instead of the picture, so that a comparison fails
/// with the reason.
///
/// - Parameters:
///   - policy: the policy, described by its type.
///   - capacity: how many entities the cache holds.
///   - requests: a letter for each request.
/// - Returns: a letter for each request.
public func outcomes(
  of policy: EvictionPolicyDescriptor, capacity: Int, _ requests: String
) -> String {
  picture(of: policy, capacity: capacity, requests) { outcome in
    outcome == .hit ? "h" : "m"
  }
}

/// Draws whom each request evicts, `-` for none.
///
///     victims(of: EvictionPolicyDescriptor(LRU.self), capacity: 3, "abcadb") == "----bc"
///
/// - Parameters:
///   - policy: the policy, described by its type.
///   - capacity: how many entities the cache holds.
///   - requests: a letter for each request.
/// - Returns: a letter for each request.
public func victims(
  of policy: EvictionPolicyDescriptor, capacity: Int, _ requests: String
) -> String {
  picture(of: policy, capacity: capacity, requests) { outcome in
    guard case .miss(let evicted?) = outcome, let scalar = Unicode.Scalar(UInt32(evicted)) else {
      return "-"
    }
    return Character(scalar)
  }
}

/// Draws the same of a policy of the registry, by name.
package func outcomes(of policy: String, capacity: Int, _ requests: String) -> String {
  registered(policy) { outcomes(of: $0, capacity: capacity, requests) }
}

/// Draws the same of a policy of the registry, by name.
package func victims(of policy: String, capacity: Int, _ requests: String) -> String {
  registered(policy) { victims(of: $0, capacity: capacity, requests) }
}

private func registered(
  _ policy: String, _ picture: (EvictionPolicyDescriptor) -> String
) -> String {
  EvictionPolicies.named(policy).map(picture) ?? "no policy '\(policy)'"
}

private func picture(
  of policy: EvictionPolicyDescriptor, capacity: Int, _ requests: String,
  draw: (PlainCache.Outcome) -> Character
) -> String {
  var cache = PlainCache(of: policy, capacity: capacity, random: RandomSource(seed: 1))
  do throws(ConformanceFailure) {
    return String(try cache.run(requests.unicodeScalars.map { UInt64($0.value) }).map(draw))
  } catch {
    return error.description
  }
}
