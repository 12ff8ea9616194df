import CacheModel

/// Evicts from one of two clocks, for entities read once or read again, by a share that it learns.
///
/// ``ARC`` with clocks and one bit instead of two lists by recency: a hit sets a bit and moves nothing; an
/// entity whose bit is set when its turn comes moves to the clock of those read again. Unlike ``CLOCK``, the
/// share of newcomers adapts; unlike ARC, the first reads after arrival count as one. Not for loops slightly
/// larger than the cache (see ``LIRS``).
///
/// Every call is amortised O(1).
///
/// Source: Bansal and Modha, "CAR: clock with adaptive replacement", FAST 2004, figure 2.
struct CAR<Index: GhostIndex & ~Copyable>: EvictionPolicy, ~Copyable {
  static var name: String { "car" }
  static var summary: String {
    "Evicts the oldest unread of those read once or of those read again, by a learned share."
  }
  static var source: String { "Bansal and Modha, FAST 2004" }

  private static var once: Int32 { 0 }
  private static var again: Int32 { 1 }

  private var queues = SlotQueues(count: 2)
  private var wasRead = Flat(repeating: false, count: 0)
  private var ghosts: AdaptiveGhosts<Index>

  init(capacity: Int?, random: RandomSource) {
    ghosts = AdaptiveGhosts(capacity: capacity ?? .max)
  }

  mutating func reserve(slots: Int) {
    queues.reserve(slots: slots)
    wasRead.grow(toAtLeast: slots, filling: false)
    ghosts.reserve(slots: slots)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    ghosts.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { ghosts.prefetch(fingerprint) }

  mutating func didInsert(_ entry: EvictionEntry) {
    wasRead[entry.slot] = false
    // The returning ghost is one of those that the paper compares, so it is removed only now.
    let queue = ghosts.arrival(of: entry) == .new ? Self.once : Self.again
    queues.pushYoung(entry.slot, weight: entry.weight, to: queue)
    ghosts.trim(once: queues.weight(of: Self.once), again: queues.weight(of: Self.again))
  }

  mutating func didHit(_ entry: EvictionEntry) { wasRead[entry.slot] = true }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if cause == .evicted {
      ghosts.append(slot, wasReadAgain: queues.queue(of: slot) == Self.again)
    }
    queues.remove(slot)
  }

  mutating func nextVictim() -> Slot? {
    while true {
      let isOver = Double(queues.weight(of: Self.once)) >= max(1, ghosts.target)
      let queue = isOver ? Self.once : Self.again
      guard
        let oldest = queues.oldest(of: queue) ?? queues.oldest(of: Self.again)
          ?? queues.oldest(of: Self.once)
      else { return nil }
      guard wasRead[oldest] else { return oldest }
      wasRead[oldest] = false
      queues.move(oldest, toYoungOf: Self.again)
    }
  }

  func checkInvariants() {
    queues.checkInvariants()
    ghosts.checkInvariants()
  }
}
