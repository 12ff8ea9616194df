import CacheModel
import Containers
import EvictionPolicies

struct MemoryBodies<Key: ResponseKey, Body: Sendable>: ~Copyable {
  private let limit: Int
  private var keys: OrderedKeys<Key>
  private var bodies: [Key: (body: Body, bytes: Int)] = [:]
  private(set) var bytes = 0
  /// The heap memory of all bodies, each as one allocation, at the allocator's size classes.
  private(set) var bodyBlocks = 0

  init(_ limit: Int, order: EvictionPolicyDescriptor, random: RandomSource) {
    self.limit = limit
    keys = OrderedKeys(order, capacity: limit, random: random)
  }

  var count: Int { keys.count }

  /// Returns a body, which counts as a use.
  mutating func read(_ key: Key) -> Body? {
    guard let entry = bodies[key] else { return nil }
    keys.touch(key)
    return entry.body
  }

  /// Inserts a body, replacing the one of its key, and evicts others as necessary: `room` is the limit for
  /// bodies and the tables here.
  mutating func insert(_ key: Key, _ body: Body, bytes size: Int, within room: Int) {
    guard limit > 0, Self.block(of: size) <= room else { return remove(key, cause: .replaced) }
    if !keys.contains(key), isFull(with: size, room) {
      guard keys.admits(key) else { return }
      while isFull(with: size, room), let victim = keys.victim() {
        remove(victim, cause: .evicted)
      }
    }
    let former = bodies.updateValue((body, size), forKey: key)?.bytes ?? 0
    bytes += size - former
    bodyBlocks += Self.block(of: size) - Self.block(of: former)
    keys.insert(key)
    // The body, or a table, may have grown.
    if room < .max { keep(within: room) }
  }

  /// Evicts until the limit is met.
  mutating func keep(within room: Int) {
    while tableBytes + bodyBlocks > room, let victim = keys.victim() {
      remove(victim, cause: .evicted)
    }
  }

  private func isFull(with size: Int, _ room: Int) -> Bool {
    keys.count >= limit
      || room < .max && tableBytes + bodyBlocks + Self.block(of: size) > room
  }

  mutating func remove(_ key: Key, cause: RemovalCause) {
    let former = bodies.removeValue(forKey: key)?.bytes ?? 0
    bytes -= former
    bodyBlocks -= Self.block(of: former)
    keys.remove(key, cause: cause)
  }

  func forEach(_ visit: (Body) -> Void) {
    keys.forEach { key in
      if let entry = bodies[key] { visit(entry.body) }
    }
  }

  private static func block(of size: Int) -> Int { AllocationSize.array(capacity: size, stride: 1) }

  /// The tables' heap memory, at the allocator's size classes.
  var tableBytes: Int {
    keys.tableBytes + bodies.allocatedBytes
  }

  func invariantFailure() -> String? {
    if keys.count > limit || bodies.count != keys.count {
      return "\(bodies.count) bodies under \(keys.count) keys of \(limit)"
    }
    return keys.invariantFailure()
  }
}

package protocol ResponseKey: Hashable, Sendable {
  /// A 64-bit fingerprint, the same in every process.
  var fingerprint: UInt64 { get }
}

/// Keys in an eviction order.
struct OrderedKeys<Key: ResponseKey>: ~Copyable {
  private let order: any EvictionOrder
  private let footprint: OrderFootprint
  private var slots: [Key: Slot] = [:]
  /// The number of reserved slots; an array's capacity may be larger, by the size of its allocation.
  private var room = 0
  private static var firstRoom: Int { 16 }
  private var keys: [Key?] = []
  private var vacated: [Slot] = []
  /// A reused array for one use.
  private var use: [EvictionEntry] = []

  init(_ order: EvictionPolicyDescriptor, capacity: Int, random: RandomSource) {
    footprint = OrderFootprint(named: order.name)
    self.order = order.makeOrder(max(capacity, 1), random)
  }

  var count: Int { slots.count }

  func contains(_ key: Key) -> Bool { slots[key] != nil }

  /// Calls `visit` with all keys, in O(n).
  func forEach(_ visit: (Key) -> Void) {
    for key in keys {
      if let key { visit(key) }
    }
  }

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

  /// Returns whether a key should enter if that requires an eviction; if so, the order is notified.
  func admits(_ key: Key) -> Bool {
    let arrival = entry(key, -1)
    guard order.admits(arrival) else { return false }
    order.willInsert(arrival)
    return true
  }

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

  /// The heap memory, at the allocator's size classes.
  var tableBytes: Int {
    slots.allocatedBytes
      + AllocationSize.array(capacity: room, stride: MemoryLayout<Key?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Slot>.stride)
      + footprint.bytes(slots: room, first: Self.firstRoom)
      + AllocationSize.array(growingTo: use.count, stride: MemoryLayout<EvictionEntry>.stride)
  }

  /// Returns the first inconsistency, for tests; `nil`: none.
  func invariantFailure() -> String? {
    order.checkInvariants()
    let present = keys.enumerated().count { index, key in
      key.map { slots[$0] == Slot(index) } ?? false
    }
    return present == slots.count ? nil : "\(present) keys in order, \(slots.count) known"
  }
}

/// The callers that wait until a tag is stored.
struct Pins<Key: ResponseKey>: Sendable {
  struct Pin: Sendable {
    var ticket: KeepTicket
    var key: Key
    var tag: TextKey
    /// Whether the tag is new to the entry.
    var isNew = false
    var failure: KeepFailure?
  }

  // A few at a time: one per fetch with a tag.
  private var pins: [Pin] = []
  private var last: UInt64 = 0

  subscript(ticket: KeepTicket) -> Pin? { pins.first { $0.ticket == ticket } }

  /// The waits that have not failed.
  var waiting: [Pin] { pins.filter { $0.failure == nil } }

  mutating func begin(_ key: Key, tag: TextKey) -> KeepTicket {
    last += 1
    let ticket = KeepTicket(number: last)
    pins.append(Pin(ticket: ticket, key: key, tag: tag))
    return ticket
  }

  mutating func noteNew(_ key: Key, tag: TextKey) {
    for index in pins.indices where pins[index].key == key && pins[index].tag == tag {
      pins[index].isNew = true
    }
  }

  mutating func end(_ ticket: KeepTicket) { pins.removeAll { $0.ticket == ticket } }

  mutating func fail(_ key: Key, tag: TextKey? = nil, _ failure: KeepFailure) {
    fail(failure) { $0.key == key && (tag == nil || $0.tag == tag) }
  }

  mutating func fail(tag: TextKey, _ failure: KeepFailure) { fail(failure) { $0.tag == tag } }

  mutating func failAll(_ failure: KeepFailure) { fail(failure) { _ in true } }

  private mutating func fail(_ failure: KeepFailure, where isMeant: (Pin) -> Bool) {
    for index in pins.indices where pins[index].failure == nil && isMeant(pins[index]) {
      pins[index].failure = failure
    }
  }
}

/// Numbered changes of metadata, and how far they have been written.
struct MetadataChanges: Sendable {
  private(set) var last: UInt64 = 0
  /// The last written change.
  private(set) var flushed: UInt64 = 0
  /// The last change whose write failed.
  private(set) var failed: UInt64 = 0
  /// The last change that a caller waits for.
  private(set) var urgent: UInt64 = 0
  var downloads: UInt64 = 0
  /// The time of the first unwritten change.
  private var dirtySince: Instant?

  mutating func change(at now: Instant) {
    last += 1
    if dirtySince == nil { dirtySince = now }
  }

  /// Requests that all changes so far are written at once.
  mutating func urge() { urgent = last }

  var isDirty: Bool { last > flushed }

  /// Whether a caller waits for a change that has not been tried.
  var isUrgent: Bool { urgent > max(flushed, failed) }

  /// Returns the latest time to write all changes.
  func due(_ interval: Duration) -> Instant? {
    isDirty ? dirtySince?.advanced(by: interval) : nil
  }

  mutating func begin() -> UInt64 {
    dirtySince = nil
    return last
  }

  mutating func end(through change: UInt64, isWritten: Bool, at now: Instant) {
    if isWritten {
      flushed = max(flushed, change)
    } else {
      failed = max(failed, change)
      // Retried after the interval, or when a caller waits for more.
      dirtySince = now
    }
  }
}
