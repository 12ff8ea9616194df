import CacheModel

/// Evicts the oldest of a few entities whose last two uses were far apart, and so keeps those whose uses were
/// close together.
///
/// The distance between the last two uses of an entity counts, not the age of the last. A stack by recency
/// contains everything used since the least recent of the *near* entities, residents and ghosts; near ones
/// take 99 % of the cache, and the rest, the *far* ones, are in a queue from which victims are taken. A use
/// of a far entity that is still in the stack makes it near, and the bottom of the stack far; a use right
/// after one of the same entity does not. Unlike with ``ARC``, loops and scans larger than the cache do not
/// displace what is read between them. Not for workloads that change suddenly: near entities are released one
/// by one.
///
/// Here the far part is at least 2, and the stack is unbounded in a replay; in a cache it has at most three
/// ghosts per slot, and drops those first that departed first. Every call is amortised O(1).
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
  /// The most recently used node; -1: it was removed.
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

  /// Makes a far entity of the stack near; it must be in no queue.
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

  /// Removes entities that are not near from the bottom of the stack: a use of one would not make it near.
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

/// The nodes of ``LIRS``: one per resident entity and per ghost.
///
/// A node outlives residency, so that an entity keeps its position in the stack when it departs and returns.
struct LIRSNodes<Index: GhostIndex & ~Copyable>: ~Copyable {
  enum State: UInt8 {
    case vacant, near, far, ghost
  }

  private static var farQueue: Int32 { 0 }
  private static var ghostQueue: Int32 { 1 }

  private var index = Index()
  private var states = Flat<State>(repeating: .vacant, count: 0)
  private var records = Flat(repeating: Index.Ghost.hole, count: 0)
  /// The slot of a resident; for a free node, the next free one.
  private var slots = Flat<Slot>(repeating: -1, count: 0)
  /// The node of a slot.
  private var nodes = Flat<Int32>(repeating: -1, count: 0)
  /// Far residents by entry, and ghosts by departure.
  private var queues = SlotQueues(count: 2)
  private var vacant: Int32 = -1

  mutating func reserve(slots: Int) {
    nodes.grow(toAtLeast: slots, filling: -1)
    // A cache of a few entities may look further back; 64 ghosts cost nothing.
    grow(to: slots + max(64, 3 * slots))
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    index.reserve(fingerprintsBelow: limit)
    grow(to: limit)
  }

  private mutating func grow(to count: Int) {
    let former = states.count
    guard count > former else { return }
    states.grow(toAtLeast: count, filling: .vacant)
    records.grow(toAtLeast: states.count, filling: .hole)
    slots.grow(toAtLeast: states.count, filling: -1)
    queues.reserve(slots: states.count)
    index.reserve(ghosts: states.count)
    for node in stride(from: states.count - 1, through: former, by: -1) {
      release(Int32(truncatingIfNeeded: node))
    }
  }

  func prefetch(_ fingerprint: UInt64) { index.prefetch(fingerprint) }

  /// A bound above every node.
  var limit: Int { states.count }
  var isFull: Bool { vacant < 0 }

  func node(of slot: Slot) -> Int32 { nodes[slot] }
  func slot(of node: Int32) -> Slot { slots[node] }
  func weight(of node: Int32) -> Int { records[node].weight }
  func isNear(_ node: Int32) -> Bool { states[node] == .near }
  func isGhost(_ node: Int32) -> Bool { states[node] == .ghost }
  var oldestFar: Int32? { queues.oldest(of: Self.farQueue) }

  /// Adds a node for an entity without one; it is far and in no queue.
  mutating func make(_ entry: EvictionEntry) -> Int32 {
    let node = vacant
    precondition(node >= 0, "there are more entities than were reserved")
    vacant = slots[node]
    reside(entry, in: node)
    return node
  }

  /// Makes a ghost resident again, far and in no queue; returns `nil` if there is none.
  mutating func revive(_ entry: EvictionEntry) -> Int32? {
    let node = index.value(of: entry.fingerprint)
    guard node >= 0 else { return nil }
    queues.remove(node)
    index.remove(entry.fingerprint, ifValue: node)
    reside(entry, in: node)
    return node
  }

  private mutating func reside(_ entry: EvictionEntry, in node: Int32) {
    states[node] = .far
    records[node] = .init(fingerprint: entry.fingerprint, weight: entry.weight)
    slots[node] = entry.slot
    nodes[entry.slot] = node
  }

  /// Sets an entity's weight, and returns the increase.
  mutating func reweigh(_ node: Int32, _ weight: Int32) -> Int {
    let former = records[node].weight
    records[node] = .init(fingerprint: records[node].fingerprint, weight: weight)
    return records[node].weight - former
  }

  mutating func setNear(_ node: Int32) { states[node] = .near }

  mutating func queueFar(_ node: Int32) {
    states[node] = .far
    queues.pushYoung(node, weight: 0, to: Self.farQueue)
  }

  mutating func unqueueFar(_ node: Int32) { queues.remove(node) }

  /// Makes the node of a departed entity, which is in no queue, a ghost.
  mutating func becomeGhost(_ node: Int32) {
    states[node] = .ghost
    index.set(node, of: records[node].fingerprint)
    queues.pushYoung(node, weight: 0, to: Self.ghostQueue)
  }

  mutating func forgetOldestGhost() -> Int32? {
    guard let node = queues.oldest(of: Self.ghostQueue) else { return nil }
    forgetGhost(node)
    return node
  }

  mutating func forgetGhost(_ node: Int32) {
    index.remove(records[node].fingerprint, ifValue: node)
    queues.remove(node)
    free(node)
  }

  /// Frees a node that is in no queue.
  mutating func free(_ node: Int32) {
    states[node] = .vacant
    release(node)
  }

  private mutating func release(_ node: Int32) {
    slots[node] = vacant
    vacant = node
  }

  func checkInvariants() {
    queues.checkInvariants()
    for node in 0..<Int32(truncatingIfNeeded: states.count) {
      switch states[node] {
      case .vacant: precondition(queues.queue(of: node) < 0, "vacant node \(node) is queued")
      case .near:
        precondition(queues.queue(of: node) < 0, "near node \(node) is queued")
        precondition(nodes[slots[node]] == node, "slot \(slots[node]) lost its node")
      case .far:
        precondition(queues.queue(of: node) == Self.farQueue, "far node \(node) is not queued")
        precondition(nodes[slots[node]] == node, "slot \(slots[node]) lost its node")
      case .ghost:
        precondition(queues.queue(of: node) == Self.ghostQueue, "ghost \(node) is not queued")
      }
    }
  }
}
