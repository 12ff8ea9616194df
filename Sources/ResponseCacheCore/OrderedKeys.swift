import CacheModel
import Containers
import EvictionPolicies

/// What a store names an entry by.
package protocol ResponseKey: Hashable, Sendable {
  /// 64 bits that name it, the same in every process.
  var fingerprint: UInt64 { get }
}

/// Keys under an eviction order: those of which one may have to go.
struct OrderedKeys<Key: ResponseKey>: ~Copyable {
  private let order: any EvictionOrder
  private let footprint: OrderFootprint
  private var slots: [Key: Slot] = [:]
  /// How many slots there is room for; an array may have more, as its block happens to have.
  private var room = 0
  private static var firstRoom: Int { 16 }
  private var keys: [Key?] = []
  private var vacated: [Slot] = []
  /// Where a use is told from.
  private var use: [EvictionEntry] = []

  init(_ order: EvictionPolicyDescriptor, capacity: Int, random: RandomSource) {
    footprint = OrderFootprint(named: order.name)
    self.order = order.makeOrder(max(capacity, 1), random)
  }

  var count: Int { slots.count }

  func contains(_ key: Key) -> Bool { slots[key] != nil }

  /// Visits all keys, in O(n).
  func forEach(_ visit: (Key) -> Void) {
    for key in keys {
      if let key { visit(key) }
    }
  }

  /// Adds a key, or notes that it is used.
  mutating func insert(_ key: Key) {
    if slots[key] != nil {
      touch(key)
      return
    }
    let slot = vacantSlot()
    slots[key] = slot
    keys[Int(slot)] = key
    order.didInsert(entry(key, slot))
  }

  mutating func touch(_ key: Key) {
    guard let slot = slots[key] else { return }
    let told = entry(key, slot)
    if use.isEmpty { use.append(told) } else { use[0] = told }
    order.didHit(use.span)
  }

  mutating func remove(_ key: Key, cause: RemovalCause) {
    guard let slot = slots.removeValue(forKey: key) else { return }
    order.didRemove(slot, cause: cause)
    keys[Int(slot)] = nil
    vacated.append(slot)
  }

  /// Whether a key should enter where space would have to be made for it; if so, the order is told.
  func admits(_ key: Key) -> Bool {
    let arrival = entry(key, -1)
    guard order.admits(arrival) else { return false }
    order.willInsert(arrival)
    return true
  }

  /// The key that should go next.
  func victim() -> Key? { order.nextVictim().flatMap { keys[Int($0)] } }

  private func entry(_ key: Key, _ slot: Slot) -> EvictionEntry {
    EvictionEntry(slot: slot, fingerprint: key.fingerprint)
  }

  private mutating func vacantSlot() -> Slot {
    if let slot = vacated.popLast() { return slot }
    if keys.count == room {
      room = max(Self.firstRoom, room * 2)
      keys.reserveCapacity(room)
      order.reserve(slots: room)
    }
    keys.append(nil)
    return Slot(keys.count - 1)
  }

  /// What it takes, at the allocator's size classes.
  var tableBytes: Int {
    slots.allocatedBytes
      + AllocationSize.array(capacity: room, stride: MemoryLayout<Key?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Slot>.stride)
      + footprint.bytes(slots: room, first: Self.firstRoom)
      + AllocationSize.array(growingTo: use.count, stride: MemoryLayout<EvictionEntry>.stride)
  }

  /// What is wrong, for tests; `nil` where nothing is.
  func invariantFailure() -> String? {
    order.checkInvariants()
    let present = keys.enumerated().count { index, key in
      key.map { slots[$0] == Slot(index) } ?? false
    }
    return present == slots.count ? nil : "\(present) keys in order, \(slots.count) known"
  }
}
