import Containers

/// What an eviction order takes for each place of an entity.
package struct OrderFootprint: Sendable {
  private let kind: Kind

  private enum Kind {
    /// One list of slots, and as many bytes beside each link.
    case list(beside: Int)
    /// So many bytes for each slot, the room that the order grows by included.
    case measured(perSlot: Double)
  }

  /// - Parameter name: an order of the registry; one without an entry here counts as a list, which is
  ///   the least that an order can be.
  package init(named name: String) {
    kind = Self.known[name] ?? .list(beside: 0)
  }

  /// - Parameters:
  ///   - slots: how many there is room for.
  ///   - first: how many of them were reserved at once.
  /// - Returns: what the order takes from the allocator.
  package func bytes(slots: Int, first: Int = 0) -> Int {
    switch kind {
    case .list(let beside): SlotList.allocatedBytes(slots: slots, first: first) + beside * slots
    case .measured(let perSlot): Int((perSlot * Double(slots)).rounded())
    }
  }

  private static let known: [String: Kind] = [
    "lru": .list(beside: 0), "fifo": .list(beside: 0), "mru": .list(beside: 0),
    "unbounded": .list(beside: 0), "random": .list(beside: 0), "sieve": .list(beside: 1),
    "clock": .list(beside: 1),
    // Bytes a slot between 10,000 and 20,000, everything replaced once, as
    // `tidemark measure memory --orders` counts them.
    "slru": .measured(perSlot: 26), "s3-fifo": .measured(perSlot: 159),
    "two-queue": .measured(perSlot: 157), "lfu": .measured(perSlot: 69),
    "lfu-aging": .measured(perSlot: 69), "w-tinylfu": .measured(perSlot: 53),
    "hyperbolic": .measured(perSlot: 39), "arc": .measured(perSlot: 262),
    "car": .measured(perSlot: 264), "lirs": .measured(perSlot: 464),
    "gdsf": .measured(perSlot: 59), "size": .measured(perSlot: 52),
    "expiring-first": .measured(perSlot: 52), "clairvoyant": .measured(perSlot: 52),
  ]
}
