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
