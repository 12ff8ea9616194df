import CacheFiles
import CacheModel
import Containers
import EvictionPolicies

/// The values in memory, under an eviction order and a limit.
struct MemoryTier<Key: Hashable & Sendable, Payload: Sendable>: ~Copyable {
  struct Entry: Sendable {
    var key: Key
    var payload: Payload
    var bytes: Int
    var fingerprint: UInt64
    /// The time of day when the value was set.
    var written: Instant
    /// The time at which memory and file were last known to agree.
    var checked: Instant
    /// The file with the same value; `nil`: none, as far as this cache knows.
    var file: StoredFile?
    /// The number of the write that set it; 0: it came from a file.
    var generation: UInt64
  }

  private let order: any EvictionOrder
  let footprint: OrderFootprint
  private let limit: Int
  private let countsBytes: Bool
  private(set) var used = 0
  /// The heap memory of all values, each as one allocation, at the allocator's size classes.
  private(set) var valueBytes = 0
  private(set) var evictions = 0
  private(set) var slots: [Key: Slot] = [:]
  private(set) var entries: [Entry?] = []
  /// The number of reserved slots; an array's capacity may be larger, by the size of its allocation.
  private(set) var room = 0
  static var firstRoom: Int { 16 }
  private(set) var vacated: [Slot] = []
  /// A reused array for one use.
  private(set) var use: [EvictionEntry] = []

  init(_ limit: TwoTierOptions.MemoryLimit, order: EvictionPolicyDescriptor, seed: UInt64) {
    let amount: Int
    switch limit {
    case .entries(let entries): (amount, countsBytes) = (entries, false)
    case .bytes(let bytes): (amount, countsBytes) = (bytes, true)
    }
    footprint = OrderFootprint(named: order.name)
    self.limit = order.isBounded ? amount : .max
    let random = RandomSource(seed: seed).substream("eviction-order")
    self.order = order.makeOrder(order.isBounded ? max(amount, 1) : nil, random)
  }

  var count: Int { slots.count }

  subscript(key: Key) -> Entry? { slots[key].flatMap { entries[Int($0)] } }

  mutating func touch(_ key: Key) {
    guard let slot = slots[key], let entry = entries[Int(slot)] else { return }
    tellUse(of: entry, in: slot)
  }

  /// Notes that an entry's file has the same value, or that it has none.
  mutating func confirm(_ key: Key, _ file: StoredFile?, at now: Instant) {
    guard let slot = slots[key] else { return }
    entries[Int(slot)]?.file = file
    entries[Int(slot)]?.checked = now
  }

  /// Inserts a value, replacing the one of its key, and evicts others as necessary.
  ///
  /// - Returns: whether it was inserted; if not, memory has no value for the key.
  @discardableResult mutating func insert(_ entry: Entry) -> Bool {
    let cost = cost(of: entry)
    guard cost <= limit, cost <= Int(Int32.max) else {
      remove(entry.key, cause: .replaced)
      return false
    }
    if let slot = slots[entry.key], let former = entries[Int(slot)] {
      used += cost - self.cost(of: former)
      valueBytes += Self.block(of: entry) - Self.block(of: former)
      entries[Int(slot)] = entry
      tellUse(of: entry, in: slot)
      // The grown entry may be the victim itself.
      while used > limit, evict() {}
      return slots[entry.key] != nil
    }
    if used > limit - cost {
      let arrival = evictionEntry(of: entry, slot: -1)
      guard order.admits(arrival) else { return false }
      order.willInsert(arrival)
      while used > limit - cost, evict() {}
    }
    let slot = vacantSlot()
    slots[entry.key] = slot
    entries[Int(slot)] = entry
    used += cost
    valueBytes += Self.block(of: entry)
    order.didInsert(evictionEntry(of: entry, slot: slot))
    return true
  }

  mutating func remove(_ key: Key, cause: RemovalCause) {
    guard let slot = slots.removeValue(forKey: key), let entry = entries[Int(slot)] else { return }
    order.didRemove(slot, cause: cause)
    entries[Int(slot)] = nil
    vacated.append(slot)
    used -= cost(of: entry)
    valueBytes -= Self.block(of: entry)
  }

  mutating func removeAll() {
    for entry in entries {
      if let key = entry?.key { remove(key, cause: .deleted) }
    }
  }

  /// - Returns: whether anything was evicted; an unbounded order names no victim.
  private mutating func evict() -> Bool {
    guard let slot = order.nextVictim(), let entry = entries[Int(slot)] else { return false }
    remove(entry.key, cause: .evicted)
    evictions += 1
    return true
  }

  private mutating func tellUse(of entry: Entry, in slot: Slot) {
    let told = evictionEntry(of: entry, slot: slot)
    if use.isEmpty { use.append(told) } else { use[0] = told }
    order.didHit(use.span)
  }

  private mutating func vacantSlot() -> Slot {
    if let slot = vacated.popLast() { return slot }
    if entries.count == room {
      room = max(Self.firstRoom, room * 2)
      entries.reserveCapacity(room)
      order.reserve(slots: room)
    }
    entries.append(nil)
    return Slot(entries.count - 1)
  }

  private func cost(of entry: Entry) -> Int {
    guard countsBytes else { return 1 }
    let (cost, overflow) = entry.bytes.addingReportingOverflow(TwoTierOptions.entryOverhead)
    return overflow ? .max : cost
  }

  private static func block(of entry: Entry) -> Int {
    AllocationSize.array(capacity: entry.bytes, stride: 1)
  }

  private func evictionEntry(of entry: Entry, slot: Slot) -> EvictionEntry {
    EvictionEntry(
      slot: slot, fingerprint: entry.fingerprint, weight: Int32(clamping: cost(of: entry)))
  }

  /// Returns the first inconsistency, in O(n), for tests; `nil`: none.
  func invariantFailure() -> String? {
    order.checkInvariants()
    var resident = 0
    var (sum, blocks) = (0, 0)
    for (index, entry) in entries.enumerated() {
      guard let entry else { continue }
      if slots[entry.key] != Slot(index) { return "a key leads to another entry" }
      resident += 1
      sum += cost(of: entry)
      blocks += Self.block(of: entry)
    }
    guard resident == slots.count else { return "\(resident) entries, \(slots.count) keys" }
    guard sum == used else { return "\(used) counted, \(sum) used" }
    guard blocks == valueBytes else { return "\(valueBytes) bytes of values, not \(blocks)" }
    return used > limit ? "\(used) used of \(limit)" : nil
  }
}

extension MemoryTier {
  /// The tables' heap memory, at the allocator's size classes, with each value's file name; O(1).
  ///
  /// Excludes values and the storage of keys.
  var tableBytes: Int {
    slots.allocatedBytes
      + AllocationSize.array(capacity: room, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Slot>.stride)
      + footprint.bytes(slots: room, first: Self.firstRoom)
      + AllocationSize.array(growingTo: use.count, stride: MemoryLayout<EvictionEntry>.stride)
      + count * AllocationSize.array(capacity: FileName.textBytes, stride: 1)
  }
}
