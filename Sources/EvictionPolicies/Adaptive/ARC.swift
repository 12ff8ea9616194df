import CacheModel

/// Evicts the least recently used entity of those read once or of those read again, by a share that it
/// learns.
///
/// Two lists by recency, with ghosts of each. A request for a ghost shows that its list was too short, and
/// moves the target share of the first list in its favour, by more the rarer such ghosts are. Unlike SLRU and
/// ``TwoQueue``, no share is chosen in advance; unlike ``CAR``, a hit moves the entity. Not for loops
/// slightly larger than the cache (see ``LIRS``), nor for immediate repeated reads, since a second read soon
/// after the first counts as popularity.
///
/// If weights differ, shares and their steps are in weight. Every call is amortised O(1).
///
/// Source: Megiddo and Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003,
/// figure 4, with a real number as the target.
struct ARC<Index: GhostIndex & ~Copyable>: EvictionPolicy, ~Copyable {
  static var name: String { "arc" }
  static var summary: String {
    "Evicts the least recent of those read once or of those read again, by a learned share."
  }
  static var source: String { "Megiddo and Modha, FAST 2003" }

  private static var once: Int32 { 0 }
  private static var again: Int32 { 1 }

  private var queues = SlotQueues(count: 2)
  private var ghosts: AdaptiveGhosts<Index>

  init(capacity: Int?, random: RandomSource) {
    ghosts = AdaptiveGhosts(capacity: capacity ?? .max)
  }

  mutating func reserve(slots: Int) {
    queues.reserve(slots: slots)
    ghosts.reserve(slots: slots)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    ghosts.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { ghosts.prefetch(fingerprint) }

  mutating func willInsert(_ entry: EvictionEntry) { ghosts.willInsert(entry) }

  mutating func didInsert(_ entry: EvictionEntry) {
    let queue = ghosts.arrival(of: entry) == .new ? Self.once : Self.again
    queues.pushYoung(entry.slot, weight: entry.weight, to: queue)
    ghosts.trim(once: queues.weight(of: Self.once), again: queues.weight(of: Self.again))
  }

  mutating func didHit(_ entry: EvictionEntry) {
    queues.move(entry.slot, weight: entry.weight, toYoungOf: Self.again)
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if cause == .evicted {
      ghosts.append(slot, wasReadAgain: queues.queue(of: slot) == Self.again)
    }
    queues.remove(slot)
  }

  mutating func nextVictim() -> Slot? {
    let once = Double(queues.weight(of: Self.once))
    let isOver =
      once > ghosts.target || (ghosts.announced == .readAgain && once >= ghosts.target)
    if isOver, let oldest = queues.oldest(of: Self.once) { return oldest }
    return queues.oldest(of: Self.again) ?? queues.oldest(of: Self.once)
  }

  func checkInvariants() {
    queues.checkInvariants()
    ghosts.checkInvariants()
  }
}
