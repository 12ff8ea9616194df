import CacheModel

/// Evicts the less popular of two candidates: the one leaving a small window of arrivals, and the main part's
/// victim.
///
/// Arrivals enter the window, an ``LRU`` of 1 % of the capacity. The oldest that no longer fits is compared
/// with the victim of the main part, an ``SLRU`` with 80 % protected: the one used more often recently stays,
/// by a sketch that also counts departed entities (of equals the resident of the main part). Unlike with LFU,
/// popularity fades and outlives eviction; unlike with SLRU, a scan passes through the window only. Not if
/// entities are used next that were never used before, as in a queue: the window is small and does not adapt.
///
/// An entity released from retention enters the window without counting as used. If weights differ, each
/// requested victim is decided by one comparison, and the window is limited by weight. The sketch's counts
/// are halved after ten uses per fitting entity. Every call is amortised O(1).
///
/// Source: Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM
/// Transactions on Storage 13(4), 2017.
struct WTinyLFU: EvictionPolicy, ~Copyable {
  static let name = "w-tinylfu"
  static let summary =
    "Evicts the less popular of the window's oldest and the main part's oldest entity."
  static let source = "Einziger, Friedman and Manes, ACM Transactions on Storage 13(4), 2017"

  private static let window: Int32 = 0
  private static let probation: Int32 = 1
  private static let protected: Int32 = 2

  private var queues = SlotQueues(count: 3)
  private var fingerprints = Flat<UInt64>(repeating: 0, count: 0)
  private var popularity = FrequencySketch()
  private let windowLimit: Int
  private let protectedLimit: Int
  private let capacity: Int
  /// The weight of the announced arrival; 0: unknown.
  private var announced = 0
  /// Whether space was requested since the last arrival: the cache is then full, and entities leaving the
  /// window must be worth it.
  private var isFull = false

  init(capacity: Int?, random: RandomSource) {
    self.capacity = capacity ?? .max
    // Rounded so that the smallest cache is all window.
    let main = Share.percent(99, of: self.capacity)
    windowLimit = self.capacity - main
    protectedLimit = Share.percent(80, of: main)
    popularity.reserve(entities: min(self.capacity, FrequencySketch.firstSize))
  }

  mutating func reserve(slots: Int) {
    queues.reserve(slots: slots)
    fingerprints.grow(toAtLeast: slots, filling: 0)
    popularity.reserve(entities: min(slots, capacity))
  }

  mutating func willInsert(_ entry: EvictionEntry) {
    count(entry.fingerprint)
    announced = Int(entry.weight)
  }

  mutating func didInsert(_ entry: EvictionEntry) {
    if announced == 0 { count(entry.fingerprint) }
    enter(entry)
  }

  mutating func didRelease(_ entry: EvictionEntry) { enter(entry) }

  mutating func didHit(_ entry: EvictionEntry) {
    count(entry.fingerprint)
    guard queues.queue(of: entry.slot) != Self.window else {
      queues.move(entry.slot, weight: entry.weight, toYoungOf: Self.window)
      return
    }
    queues.move(
      entry.slot, weight: entry.weight, toYoungOf: Self.protected, limit: protectedLimit,
      overflowingTo: Self.probation)
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) { queues.remove(slot) }

  mutating func nextVictim() -> Slot? {
    isFull = true
    let settled = queues.oldest(of: Self.probation) ?? queues.oldest(of: Self.protected)
    guard queues.weight(of: Self.window) + announced > windowLimit,
      let candidate = queues.oldest(of: Self.window)
    else { return settled ?? queues.oldest(of: Self.window) }
    guard let settled, isMorePopular(candidate, than: settled) else { return candidate }
    queues.move(candidate, toYoungOf: Self.probation)
    return settled
  }

  func checkInvariants() {
    queues.checkInvariants()
    precondition(queues.weight(of: Self.protected) <= protectedLimit, "too much is protected")
  }

  private mutating func enter(_ entry: EvictionEntry) {
    fingerprints[entry.slot] = entry.fingerprint
    queues.pushYoung(entry.slot, weight: entry.weight, to: Self.window)
    // While there is space, entities leaving the window displace nothing.
    while !isFull, queues.weight(of: Self.window) > windowLimit,
      let oldest = queues.oldest(of: Self.window), oldest != entry.slot
    {
      queues.move(oldest, toYoungOf: Self.probation)
    }
    isFull = false
    announced = 0
  }

  private func isMorePopular(_ candidate: Slot, than victim: Slot) -> Bool {
    popularity.estimate(fingerprints[candidate]) > popularity.estimate(fingerprints[victim])
  }

  private mutating func count(_ fingerprint: UInt64) {
    popularity.count(fingerprint)
    if popularity.isSampleOver { popularity.age(fitting: fittingEntities) }
  }

  /// The number of entities of the mean weight that fit; without a capacity, the current number.
  private var fittingEntities: Int {
    guard queues.count > 0, capacity < .max else { return min(queues.count, capacity) }
    let weight = (Self.window...Self.protected).reduce(0) { $0 + queues.weight(of: $1) }
    return capacity / max(weight / queues.count, 1)
  }
}
