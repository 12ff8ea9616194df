import CacheModel
public import EvictionPolicies

/// Returns the outcome of each request as a letter, `h` for a hit and `m` for a miss; each letter of
/// `requests` is an entity.
///
///     outcomes(of: EvictionPolicyDescriptor(LRU.self), capacity: 3, "abcadb") == "mmmhmm"
///
/// A violated guarantee is returned as text, so that a comparison fails with the reason.
///
/// - Parameters:
///   - policy: the policy, described by its type.
///   - capacity: the capacity of the cache in entities.
///   - requests: a letter for each request.
/// - Returns: a letter for each request.
public func outcomes(
  of policy: EvictionPolicyDescriptor, capacity: Int, _ requests: String
) -> String {
  picture(of: policy, capacity: capacity, requests) { outcome in
    outcome == .hit ? "h" : "m"
  }
}

/// Returns the key that each request evicts, `-` for none.
///
///     victims(of: EvictionPolicyDescriptor(LRU.self), capacity: 3, "abcadb") == "----bc"
///
/// - Parameters:
///   - policy: the policy, described by its type.
///   - capacity: the capacity of the cache in entities.
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

/// Returns the outcomes of a registered policy, by name.
package func outcomes(of policy: String, capacity: Int, _ requests: String) -> String {
  registered(policy) { outcomes(of: $0, capacity: capacity, requests) }
}

/// Returns the victims of a registered policy, by name.
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

/// A generated trace of independent requests: the key of rank r is requested in proportion to 1 / rᵃ.
///
/// For small tests: a draw is a binary search in a table. Keys are numbered by first appearance.
package struct ZipfTrace: Sendable {
  package private(set) var ids: [UInt32] = []
  package private(set) var distinct = 0

  package init(requests: Int, keys: Int, exponent: Double = 1, seed: UInt64) {
    var random = RandomSource(seed: seed).substream("zipf-trace")
    var cumulative: [Double] = []
    var total = 0.0
    for rank in 1...keys {
      total += 1 / PortableMath.pow(Double(rank), exponent)
      cumulative.append(total)
    }
    var numbers = [UInt32?](repeating: nil, count: keys)
    ids.reserveCapacity(requests)
    for _ in 0..<requests {
      let key = Self.firstIndex(in: cumulative, above: random.unit() * total)
      if let number = numbers[key] {
        ids.append(number)
      } else {
        numbers[key] = UInt32(distinct)
        ids.append(UInt32(distinct))
        distinct += 1
      }
    }
  }

  private static func firstIndex(in cumulative: [Double], above value: Double) -> Int {
    var low = 0
    var high = cumulative.count - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
