import CacheModel

/// Evicts the oldest arrival while arrivals take more than a quarter of the cache, otherwise the least
/// recently used of the returned entities.
///
/// Three queues: arrivals, first in first out; ghosts of evicted arrivals, up to half the capacity; and an
/// ``LRU`` list for entities requested while they are ghosts. Unlike with SLRU, a hit on an arrival has no
/// effect: requests in quick succession count as one. Unlike with ``S3FIFO``, the popular part is ordered by
/// recency. Not for workloads in which popular entities return later than half a capacity of departures.
///
/// This is the full version of the paper, with its recommended sizes. Space is made only when the whole cache
/// is full. Every call is amortised O(1).
///
/// Source: Johnson and Shasha, "2Q: a low overhead high performance buffer management replacement
/// algorithm", VLDB 1994.
struct TwoQueue<Index: GhostIndex & ~Copyable>: EvictionPolicy, ~Copyable {
  static var name: String { "two-queue" }
  static var summary: String {
    "Evicts the oldest arrival beyond a quarter, else the least recent of what came back."
  }
  static var source: String { "Johnson and Shasha, VLDB 1994" }

  private static var arrivals: Int32 { 0 }
  private static var returned: Int32 { 1 }

  private var queues = SlotQueues(count: 2)
  private var departures: Departures<Index>
  private let arrivalLimit: Int

  init(capacity: Int?, random: RandomSource) {
    arrivalLimit = Share.percent(25, of: capacity)
    departures = Departures(limit: Share.percent(50, of: capacity))
  }

  mutating func reserve(slots: Int) {
    queues.reserve(slots: slots)
    departures.reserve(slots: slots)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    departures.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { departures.prefetch(fingerprint) }

  mutating func willInsert(_ entry: EvictionEntry) { departures.willInsert(entry.fingerprint) }

  mutating func didInsert(_ entry: EvictionEntry) {
    let queue = departures.returns(entry) ? Self.returned : Self.arrivals
    queues.pushYoung(entry.slot, weight: entry.weight, to: queue)
  }

  mutating func didHit(_ entry: EvictionEntry) {
    if queues.queue(of: entry.slot) == Self.returned {
      queues.move(entry.slot, weight: entry.weight, toYoungOf: Self.returned)
    }
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if cause == .evicted, queues.queue(of: slot) == Self.arrivals {
      departures.append(slot)
    }
    queues.remove(slot)
  }

  mutating func nextVictim() -> Slot? {
    if queues.weight(of: Self.arrivals) > arrivalLimit { return queues.oldest(of: Self.arrivals) }
    return queues.oldest(of: Self.returned) ?? queues.oldest(of: Self.arrivals)
  }

  func checkInvariants() {
    queues.checkInvariants()
    departures.checkInvariants()
  }
}
