import CacheModel
import EvictionPolicies
package import ResultModel

/// What each eviction order costs an entity, alone: driven as a cache drives it, without one.
///
/// The order is filled, and then as many entities are replaced as it holds, so that what it remembers
/// of the departed is there too.
package struct OrderMemory: Sendable {
  package let entities: Int

  package init(entities: Int = 10_000) {
    self.entities = entities
  }

  /// One row for each order that a cache can have.
  ///
  /// - Throws: what the counter throws.
  package func run(counter: some AllocationCounter) throws -> [ResultRow] {
    try EvictionPolicies.forCaches.map { descriptor in
      _ = try bytes(of: descriptor, entities: 16, counter)
      let once = try bytes(of: descriptor, entities: entities, counter)
      let twice = try bytes(of: descriptor, entities: entities * 2, counter)
      return ResultRow(
        scenario: "memory", policy: descriptor.name, seed: 1, metric: .orderBytesPerEntity,
        value: .real((Double(twice) - Double(once)) / Double(entities)), sampleCount: entities)
    }
  }

  private func bytes(
    of descriptor: EvictionPolicyDescriptor, entities: Int, _ counter: some AllocationCounter
  ) throws -> Int {
    let before = try counter.read()
    let order = descriptor.makeOrder(entities, RandomSource(seed: 1))
    fill(order, entities)
    let filled = try withExtendedLifetime(order) { try counter.read() }
    return filled.allocated - before.allocated
  }

  private func fill(_ order: any EvictionOrder, _ entities: Int) {
    var random = RandomSource(seed: 1)
    for slot in 0..<entities {
      order.reserve(slots: slot + 1)
      insert(Slot(slot), random.next(), order)
    }
    for _ in 0..<entities {
      guard let victim = order.nextVictim() else { return }
      order.didRemove(victim, cause: .evicted)
      insert(victim, random.next(), order)
    }
  }

  private func insert(_ slot: Slot, _ fingerprint: UInt64, _ order: any EvictionOrder) {
    let entry = EvictionEntry(slot: slot, fingerprint: fingerprint)
    order.willInsert(entry)
    order.didInsert(entry)
  }
}
