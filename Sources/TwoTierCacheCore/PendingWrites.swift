import CacheModel
import Containers

/// What is on its way to the files: for each key the newest only, and the keys in order.
struct PendingWrites<Key: Hashable & Sendable, Payload: Sendable, Content: Sendable>: Sendable {
  struct Pending: Sendable {
    /// What the file will hold, and memory may hold; `nil`: the file is to go.
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
  /// Keys in the order in which they are to be written; some have left it.
  private var queue: [Key] = []
  /// Where the queue begins.
  private var head = 0
  /// The keys in the queue.
  private var waiting: Set<Key> = []
  /// What is being written.
  private(set) var current: Current?

  /// How many keys have something to be written, or being written.
  var count: Int { pending.count }

  subscript(key: Key) -> Pending? { pending[key] }

  /// Puts something instead of whatever waits for a key; its turn stays.
  mutating func add(_ key: Key, _ value: Value?, generation: UInt64) {
    pending[key] = Pending(value: value, generation: generation)
    if waiting.insert(key).inserted { queue.append(key) }
  }

  /// Takes what is next.
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

  /// Ends what was begun.
  ///
  /// - Returns: whether nothing newer waits for its key.
  mutating func end() -> Bool {
    guard let ended = current else { return false }
    current = nil
    guard pending[ended.key]?.generation == ended.generation else { return false }
    pending[ended.key] = nil
    return true
  }

  /// What the tables take, at the allocator's size classes; they stay as large as they have been.
  var tableBytes: Int {
    pending.allocatedBytes + waiting.allocatedBytes
      + AllocationSize.array(growingTo: queue.count, stride: MemoryLayout<Key>.stride)
  }

  /// Forgets what waits for a key.
  mutating func forget(_ key: Key) { pending[key] = nil }

  /// Forgets all that waits, and what is being written too: its end changes nothing any more.
  mutating func removeAll() {
    pending = [:]
    queue = []
    head = 0
    waiting = []
  }
}

/// The files that are being read, and who waits for each.
struct OpenReads<Key: Hashable & Sendable>: Sendable {
  private struct Open: Sendable {
    var key: Key
    var began: Instant
    var readers = 1
  }

  private var open: [ReadTicket: Open] = [:]
  /// The read that an asker may join.
  private var joinable: [Key: ReadTicket] = [:]
  private var last: UInt64 = 0

  /// What the tables take, at the allocator's size classes; they stay as large as they have been.
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

  /// The read of a key's file that has begun, and that now has one asker more.
  mutating func join(_ key: Key) -> ReadTicket? {
    guard let ticket = joinable[key] else { return nil }
    open[ticket]?.readers += 1
    return ticket
  }

  /// The key has been written or removed: what is being read of it is old.
  mutating func outdate(_ key: Key) {
    joinable[key] = nil
  }

  mutating func outdateAll() {
    joinable = [:]
  }

  struct Ended {
    var key: Key
    var began: Instant
    /// How many waited for it.
    var readers: Int
    /// Whether the key was written meanwhile.
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
