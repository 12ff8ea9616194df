/// What ``LIRS`` knows: a node per resident entity and per ghost.
///
/// A node outlives residency, so that an entity keeps its place in the stack when it departs and
/// when it returns.
struct LIRSNodes<Index: GhostIndex & ~Copyable>: ~Copyable {
  enum State: UInt8 {
    case vacant, near, far, ghost
  }

  private static var farQueue: Int32 { 0 }
  private static var ghostQueue: Int32 { 1 }

  private var index = Index()
  private var states = Flat<State>(repeating: .vacant, count: 0)
  private var records = Flat(repeating: Index.Ghost.hole, count: 0)
  /// The slot of a resident; of a vacant node, the next vacant one.
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

  /// Above every node.
  var limit: Int { states.count }
  var isFull: Bool { vacant < 0 }

  func node(of slot: Slot) -> Int32 { nodes[slot] }
  func slot(of node: Int32) -> Slot { slots[node] }
  func weight(of node: Int32) -> Int { records[node].weight }
  func isNear(_ node: Int32) -> Bool { states[node] == .near }
  func isGhost(_ node: Int32) -> Bool { states[node] == .ghost }
  var oldestFar: Int32? { queues.oldest(of: Self.farQueue) }

  /// Gives an entity without a node one, which is far and in no queue.
  mutating func make(_ entry: EvictionEntry) -> Int32 {
    let node = vacant
    precondition(node >= 0, "there are more entities than were reserved")
    vacant = slots[node]
    reside(entry, in: node)
    return node
  }

  /// Makes a ghost resident again, far and in no queue; `nil` where there is none.
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

  /// By how much heavier the entity has become.
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

  /// Remembers a departed entity that is in no queue.
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

  /// Gives up a node that is in no queue.
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
