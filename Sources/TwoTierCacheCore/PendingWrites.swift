import CacheModel
import Containers

/// The writes to files that are pending: only the newest of each key, with the keys in order.
struct PendingWrites<Key: Hashable & Sendable, Payload: Sendable, Content: Sendable>: Sendable {
  struct Pending: Sendable {
    /// The value for the file and for memory; `nil`: the file will be removed.
    var value: Value?
    var generation: UInt64
  }

  struct Value: Sendable {
    var payload: Payload
    var content: Content
    var written: Instant
  }

  struct Current: Sendable {
    var key: Key
    var generation: UInt64
    /// Whether the file is being removed, not written.
    var isRemoval: Bool
    var began: Instant
  }

  private var pending: [Key: Pending] = [:]
  /// Keys in the order in which they will be written; some have been removed.
  private var queue: [Key] = []
  private var head = 0
  private var waiting: Set<Key> = []
  private(set) var current: Current?

  /// The number of keys with a pending or current write.
  var count: Int { pending.count }

  subscript(key: Key) -> Pending? { pending[key] }

  /// Sets the pending write of a key, which keeps its position in the queue.
  mutating func add(_ key: Key, _ value: Value?, generation: UInt64) {
    pending[key] = Pending(value: value, generation: generation)
    if waiting.insert(key).inserted { queue.append(key) }
  }

  mutating func begin(at now: Instant) -> (key: Key, pending: Pending)? {
    guard current == nil else { return nil }
    while head < queue.count {
      let key = queue[head]
      head += 1
      if head == queue.count || head > 1_024 {
        queue.removeFirst(head)
        head = 0
      }
      waiting.remove(key)
      guard let next = pending[key] else { continue }
      current = Current(
        key: key, generation: next.generation, isRemoval: next.value == nil, began: now)
      return (key, next)
    }
    return nil
  }

  /// Ends the current write.
  ///
  /// - Returns: whether no newer write of its key is pending.
  mutating func end() -> Bool {
    guard let ended = current else { return false }
    current = nil
    guard pending[ended.key]?.generation == ended.generation else { return false }
    pending[ended.key] = nil
    return true
  }

  /// The tables' heap memory, at the allocator's size classes; tables do not shrink.
  var tableBytes: Int {
    pending.allocatedBytes + waiting.allocatedBytes
      + AllocationSize.array(growingTo: queue.count, stride: MemoryLayout<Key>.stride)
  }

  mutating func forget(_ key: Key) { pending[key] = nil }

  /// Removes all pending writes, and the current one: its result is ignored.
  mutating func removeAll() {
    pending = [:]
    queue = []
    head = 0
    waiting = []
  }
}

/// The files being read, and the number of callers waiting for each.
struct OpenReads<Key: Hashable & Sendable>: Sendable {
  private struct Open: Sendable {
    var key: Key
    var began: Instant
    var readers = 1
  }

  private var open: [ReadTicket: Open] = [:]
  /// The read that a caller may join.
  private var joinable: [Key: ReadTicket] = [:]
  private var last: UInt64 = 0

  /// The tables' heap memory, at the allocator's size classes; tables do not shrink.
  var tableBytes: Int {
    open.allocatedBytes + joinable.allocatedBytes
  }

  mutating func begin(_ key: Key, at now: Instant) -> ReadTicket {
    last += 1
    let ticket = ReadTicket(number: last)
    open[ticket] = Open(key: key, began: now)
    joinable[key] = ticket
    return ticket
  }

  /// Joins the current read of a key's file, if there is one.
  mutating func join(_ key: Key) -> ReadTicket? {
    guard let ticket = joinable[key] else { return nil }
    open[ticket]?.readers += 1
    return ticket
  }

  /// Marks the current read of a key as outdated, since the key was written or removed.
  mutating func outdate(_ key: Key) {
    joinable[key] = nil
  }

  mutating func outdateAll() {
    joinable = [:]
  }

  struct Ended {
    var key: Key
    var began: Instant
    /// The number of waiting callers.
    var readers: Int
    var isOutdated: Bool
  }

  mutating func end(_ ticket: ReadTicket) -> Ended? {
    guard let ended = open.removeValue(forKey: ticket) else { return nil }
    let isOutdated = joinable[ended.key] != ticket
    if !isOutdated { joinable[ended.key] = nil }
    return Ended(
      key: ended.key, began: ended.began, readers: ended.readers, isOutdated: isOutdated)
  }
}
