import CacheModel

/// Evicts the oldest of a few entities whose last two uses lay far apart, and so spares those whose
/// uses lay close together.
///
/// What counts is the distance between the last two uses of an entity, not the age of the last. A
/// stack by recency holds all that was used since the least recent of the *near* entities, residents
/// and ghosts; near ones hold 99 % of the cache, and the rest, the *far* ones, stand in a queue from
/// which victims come. A use of a far entity that is still in the stack proves that it is near, and
/// makes the bottom of the stack far; a use right after one of the same entity proves nothing.
/// Differs from ``ARC`` in that loops and scans larger than the cache leave what is read between them.
/// Not for workloads that change all at once: the near ones are let go one by one.
///
/// Here the far part is at least 2, and the stack is unbounded in a replay; in a cache it remembers
/// three ghosts per slot, and forgets those first that departed first. Every call is amortised O(1).
///
/// Source: Jiang and Zhang, "LIRS: an efficient low inter-reference recency set replacement policy",
/// SIGMETRICS 2002, with the sizes of the authors' program.
struct LIRS<Index: GhostIndex & ~Copyable>: EvictionPolicy, ~Copyable {
  static var name: String { "lirs" }
  static var summary: String {
    "Evicts the oldest of the few entities whose last two uses lay far apart."
  }
  static var source: String { "Jiang and Zhang, SIGMETRICS 2002" }

  private var nodes = LIRSNodes<Index>()
  /// By recency; the bottom is near, unless nothing is.
  private var stack = SlotList()
  private var nearWeight = 0
  private let nearLimit: Int
  /// The node used last; -1: it is gone.
  private var latest: Int32 = -1

  init(capacity: Int?, random: RandomSource) {
    nearLimit = capacity.map { max(0, $0 - max(2, $0 / 100)) } ?? .max
  }

  mutating func reserve(slots: Int) {
    nodes.reserve(slots: slots)
    stack.reserve(slots: nodes.limit)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    nodes.reserve(fingerprintsBelow: limit)
    stack.reserve(slots: nodes.limit)
  }

  func prefetch(_ fingerprint: UInt64) { nodes.prefetch(fingerprint) }

  mutating func didInsert(_ entry: EvictionEntry) {
    if let node = nodes.revive(entry) {
      latest = node
      promote(node)
      return
    }
    if nodes.isFull, let forgotten = nodes.forgetOldestGhost() { stack.remove(forgotten) }
    let node = nodes.make(entry)
    latest = node
    stack.pushYoung(node)
    if nearWeight + nodes.weight(of: node) <= nearLimit {
      nodes.setNear(node)
      nearWeight += nodes.weight(of: node)
    } else {
      nodes.queueFar(node)
      prune()
    }
  }

  mutating func didHit(_ entry: EvictionEntry) {
    let node = nodes.node(of: entry.slot)
    if nodes.isNear(node) {
      latest = node
      nearWeight += nodes.reweigh(node, entry.weight)
      stack.moveToYoung(node)
      shrink()
      return
    }
    _ = nodes.reweigh(node, entry.weight)
    guard node != latest else { return }
    latest = node
    nodes.unqueueFar(node)
    if stack.contains(node) {
      promote(node)
    } else {
      stack.pushYoung(node)
      nodes.queueFar(node)
      prune()
    }
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    let node = nodes.node(of: slot)
    if node == latest { latest = -1 }
    if nodes.isNear(node) {
      nearWeight -= nodes.weight(of: node)
    } else {
      nodes.unqueueFar(node)
      guard cause != .evicted || !stack.contains(node) else {
        nodes.becomeGhost(node)
        return
      }
    }
    if stack.contains(node) { stack.remove(node) }
    nodes.free(node)
    prune()
  }

  mutating func nextVictim() -> Slot? {
    if let node = nodes.oldestFar { return nodes.slot(of: node) }
    // All are near, as in a cache whose weights leave no space for others.
    return stack.oldest.map { nodes.slot(of: $0) }
  }

  /// Makes a far entity near that stands in the stack and in no queue.
  private mutating func promote(_ node: Int32) {
    stack.moveToYoung(node)
    nodes.setNear(node)
    nearWeight += nodes.weight(of: node)
    shrink()
  }

  /// Makes the least recent near entities far until the near ones fit, and prunes.
  private mutating func shrink() {
    prune()
    while nearWeight > nearLimit, let bottom = stack.oldest {
      stack.remove(bottom)
      nearWeight -= nodes.weight(of: bottom)
      nodes.queueFar(bottom)
      prune()
    }
  }

  /// Takes what is not near off the bottom of the stack: a use of it would prove nothing.
  private mutating func prune() {
    while let bottom = stack.oldest, !nodes.isNear(bottom) {
      stack.remove(bottom)
      if nodes.isGhost(bottom) { nodes.forgetGhost(bottom) }
    }
  }

  func checkInvariants() {
    stack.checkInvariants()
    nodes.checkInvariants()
    if let bottom = stack.oldest {
      precondition(nodes.isNear(bottom), "the bottom of the stack is far")
    }
  }
}
