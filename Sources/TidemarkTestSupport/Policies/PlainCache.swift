package import CacheModel
package import EvictionPolicies

/// The simplest cache for an eviction order: a dictionary, few slots, one call at a time.
///
/// Entities of one weight, demand fill, cold start. Slow and simple: the reference model for faster loops.
package struct PlainCache {
  package let capacity: Int
  package private(set) var counts = ReplayCounts()

  private let policy: String
  private let order: any EvictionOrder
  private var slots: [UInt64: Slot] = [:]
  private var keys: [UInt64] = []
  private var free: [Slot] = []

  package enum Outcome: Hashable, Sendable {
    case hit
    case miss(evicted: UInt64?)
  }

  package init(of descriptor: EvictionPolicyDescriptor, capacity: Int, random: RandomSource) {
    policy = descriptor.name
    self.capacity = descriptor.isBounded ? capacity : .max
    order = descriptor.makeOrder(capacity, random)
  }

  /// Replays a whole trace, in which the policy may look ahead.
  @discardableResult
  package mutating func run(_ keys: [UInt64]) throws(ConformanceFailure) -> [Outcome] {
    var upcoming: [UInt64: Int64] = [:]
    var nextUses: [Int64] = []
    for (index, key) in keys.enumerated().reversed() {
      nextUses.append(upcoming.updateValue(Int64(index), forKey: key) ?? .max)
    }
    var outcomes: [Outcome] = []
    for (key, nextUse) in zip(keys, nextUses.reversed()) {
      outcomes.append(try request(key, nextUse: nextUse))
    }
    return outcomes
  }

  /// Replays one request.
  ///
  /// - Parameters:
  ///   - key: the requested entity.
  ///   - nextUse: the index of its next request, if known.
  /// - Returns: the outcome.
  /// - Throws: the guarantee that the order violated.
  @discardableResult
  package mutating func request(
    _ key: UInt64, nextUse: Int64 = .max
  ) throws(ConformanceFailure) -> Outcome {
    counts.requests += 1
    if let slot = slots[key] {
      order.didHit([EvictionEntry(slot: slot, fingerprint: key, nextUse: nextUse)].span)
      return .hit
    }
    counts.misses += 1
    guard capacity > 0 else { return reject() }
    var evicted: UInt64?
    if slots.count == capacity {
      let candidate = EvictionEntry(slot: -1, fingerprint: key, nextUse: nextUse)
      guard order.admits(candidate) else { return reject() }
      order.willInsert(candidate)
      evicted = try evict()
    }
    let slot = free.popLast() ?? addSlot()
    slots[key] = slot
    keys[Int(slot)] = key
    order.didInsert(EvictionEntry(slot: slot, fingerprint: key, nextUse: nextUse))
    return .miss(evicted: evicted)
  }

  private mutating func reject() -> Outcome {
    counts.rejections += 1
    return .miss(evicted: nil)
  }

  private mutating func evict() throws(ConformanceFailure) -> UInt64 {
    let victim = order.nextVictim()
    guard let victim, isResident(victim) else {
      throw ConformanceFailure(
        policy: policy, guarantee: victim == nil ? .victimUnlessEmpty : .victimIsInTheOrder,
        capacity: capacity, seed: 0, step: counts.requests,
        detail: victim.map { "slot \($0) is not resident" } ?? "nil from a full cache")
    }
    let key = keys[Int(victim)]
    slots[key] = nil
    free.append(victim)
    order.didRemove(victim, cause: .evicted)
    counts.evictions += 1
    return key
  }

  private func isResident(_ slot: Slot) -> Bool {
    keys.indices.contains(Int(slot)) && slots[keys[Int(slot)]] == slot
  }

  private mutating func addSlot() -> Slot {
    keys.append(0)
    order.reserve(slots: keys.count)
    return Slot(keys.count - 1)
  }
}
