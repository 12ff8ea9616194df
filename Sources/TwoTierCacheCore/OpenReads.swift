import CacheModel
import Containers

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
