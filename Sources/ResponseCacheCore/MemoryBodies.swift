import CacheModel
import Containers
import EvictionPolicies

/// The bodies in memory, so many and no more.
struct MemoryBodies<Key: ResponseKey, Body: Sendable>: ~Copyable {
  private let limit: Int
  private var keys: OrderedKeys<Key>
  private var bodies: [Key: (body: Body, bytes: Int)] = [:]
  /// Of all bodies.
  private(set) var bytes = 0
  /// What all bodies take where each is one piece of memory, at the allocator's size classes.
  private(set) var bodyBlocks = 0

  init(_ limit: Int, order: EvictionPolicyDescriptor, random: RandomSource) {
    self.limit = limit
    keys = OrderedKeys(order, capacity: limit, random: random)
  }

  var count: Int { keys.count }

  /// A body that is read.
  mutating func read(_ key: Key) -> Body? {
    guard let entry = bodies[key] else { return nil }
    keys.touch(key)
    return entry.body
  }

  /// Takes a body in, instead of the one of its key; evicts what there is no space for: `room` is what bodies and the
  /// tables here may take together.
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

  /// Evicts what is above a limit.
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

  /// What the tables take, at the allocator's size classes.
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

/// Who waits until a tag is kept.
struct Pins<Key: ResponseKey>: Sendable {
  struct Pin: Sendable {
    var ticket: KeepTicket
    var key: Key
    var tag: TextKey
    /// Whether the entry had not had it.
    var isNew = false
    var failure: KeepFailure?
  }

  // A few at a time: as many as there are fetches with a tag.
  private var pins: [Pin] = []
  private var last: UInt64 = 0

  subscript(ticket: KeepTicket) -> Pin? { pins.first { $0.ticket == ticket } }

  /// Those that have not failed.
  var waiting: [Pin] { pins.filter { $0.failure == nil } }

  mutating func begin(_ key: Key, tag: TextKey) -> KeepTicket {
    last += 1
    let ticket = KeepTicket(number: last)
    pins.append(Pin(ticket: ticket, key: key, tag: tag))
    return ticket
  }

  /// Notes that an entry has a tag that it had not.
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

/// The changes of what is known of entries, numbered, and how far they have been written.
struct MetadataChanges: Sendable {
  /// The last change.
  private(set) var last: UInt64 = 0
  /// The last that is written.
  private(set) var flushed: UInt64 = 0
  /// The last that could not be.
  private(set) var failed: UInt64 = 0
  /// The last that somebody waits for.
  private(set) var urgent: UInt64 = 0
  /// The last of downloads.
  var downloads: UInt64 = 0
  /// When the first change came that is not written.
  private var dirtySince: Instant?

  mutating func change(at now: Instant) {
    last += 1
    if dirtySince == nil { dirtySince = now }
  }

  /// Has what was changed so far written at once.
  mutating func urge() { urgent = last }

  var isDirty: Bool { last > flushed }

  /// Whether somebody waits, for more than has been tried.
  var isUrgent: Bool { urgent > max(flushed, failed) }

  /// When all is to be written at the latest.
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
      // Tried again after the interval, or when somebody waits for more.
      dirtySince = now
    }
  }
}
