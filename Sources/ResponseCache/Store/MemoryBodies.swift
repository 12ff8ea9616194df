import CacheModel
import EvictionPolicies

/// The bodies in memory, so many and no more.
struct MemoryBodies<Key: ResponseKey, Body: Sendable>: ~Copyable {
  private let limit: Int
  private var keys: OrderedKeys<Key>
  private var bodies: [Key: Body] = [:]

  init(_ limit: Int, order: EvictionPolicyDescriptor, random: RandomSource) {
    self.limit = limit
    keys = OrderedKeys(order, capacity: limit, random: random)
  }

  var count: Int { keys.count }

  /// A body that is read.
  mutating func read(_ key: Key) -> Body? {
    guard let body = bodies[key] else { return nil }
    keys.touch(key)
    return body
  }

  func contains(_ key: Key) -> Bool { bodies[key] != nil }

  mutating func insert(_ key: Key, _ body: Body) {
    guard limit > 0 else { return }
    if !keys.contains(key), keys.count >= limit {
      guard keys.admits(key) else { return }
      while keys.count >= limit, let victim = keys.victim() { remove(victim, cause: .evicted) }
    }
    bodies[key] = body
    keys.insert(key)
  }

  mutating func remove(_ key: Key, cause: RemovalCause) {
    bodies[key] = nil
    keys.remove(key, cause: cause)
  }

  func invariantFailure() -> String? {
    if keys.count > limit || bodies.count != keys.count {
      return "\(bodies.count) bodies under \(keys.count) keys of \(limit)"
    }
    return keys.invariantFailure()
  }
}
