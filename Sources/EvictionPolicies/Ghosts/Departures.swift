/// The latest departures, up to a weight, for a policy that asks of an arrival only if it returns.
struct Departures<Index: GhostIndex & ~Copyable>: ~Copyable {
  private var index = Index()
  private var queue = GhostQueue<Index>()
  /// What each slot's entity will leave behind.
  private var residents = Flat(repeating: Index.Ghost.hole, count: 0)
  /// What they may weigh together.
  private let limit: Int
  private var announced: (fingerprint: UInt64, returns: Bool)?

  init(limit: Int) {
    self.limit = limit
  }

  mutating func reserve(slots: Int) {
    // With as many ghosts as there are slots, no policy sees further than twice its capacity.
    index.reserve(ghosts: slots)
    residents.grow(toAtLeast: slots, filling: .hole)
    queue.reserve(ghosts: slots, in: &index)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    index.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { index.prefetch(fingerprint) }

  /// An entity is about to arrive: answered before what leaves in its favour could push it out.
  mutating func willInsert(_ fingerprint: UInt64) {
    announced = (fingerprint, take(fingerprint))
  }

  /// Whether an arrival was here not long ago, which is forgotten then.
  mutating func returns(_ entry: EvictionEntry) -> Bool {
    residents[entry.slot] = .init(fingerprint: entry.fingerprint, weight: entry.weight)
    if let announced, announced.fingerprint == entry.fingerprint {
      self.announced = nil
      return announced.returns
    }
    return take(entry.fingerprint)
  }

  /// Remembers the entity of a slot, which departs.
  mutating func append(_ slot: Slot) {
    let ghost = residents[slot]
    while !queue.isEmpty, queue.weight + ghost.weight > limit { queue.dropOldest(from: &index) }
    if ghost.weight <= limit { queue.append(ghost, to: &index) }
  }

  private mutating func take(_ fingerprint: UInt64) -> Bool {
    let value = index.value(of: fingerprint)
    guard value >= 0 else { return false }
    queue.remove(value, from: &index)
    return true
  }

  func checkInvariants() {
    queue.checkInvariants(in: index)
    precondition(queue.weight <= limit, "more is remembered than may be")
  }
}
