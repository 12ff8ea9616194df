import CacheModel

/// Evicts the oldest arrival that was not read twice, or, if the main queue is too long, its first entity
/// without further reads.
///
/// Arrivals pass a small queue, a tenth of the capacity, and only those read twice there enter the main
/// queue; the others are evicted, and remembered for nine tenths of a capacity, so that one requested again
/// enters the main queue immediately. The main queue reinserts (see ``CLOCK``): an entity survives once for each
/// of up to three reads. Unlike with ``TwoQueue``, no hit moves anything. Not if reuse comes between a tenth
/// and a whole capacity later: the first reuse is then always a miss.
///
/// Until the first request for space, entities that do not fit in the small queue go to the main queue. Every
/// call is amortised O(1).
///
/// Source: Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023, with the
/// threshold and the sizes of the authors' program.
struct S3FIFO<Index: GhostIndex & ~Copyable>: EvictionPolicy, ~Copyable {
  static var name: String { "s3-fifo" }
  static var summary: String {
    "Evicts the oldest arrival not read twice, else the oldest entity not read any more."
  }
  static var source: String { "Yang et al., SOSP 2023" }

  private static var small: Int32 { 0 }
  private static var main: Int32 { 1 }

  private var queues = SlotQueues(count: 2)
  /// The reads since arrival, or since entering the main queue; 3 means 3 or more.
  private var reads = Flat<UInt8>(repeating: 0, count: 0)
  private var departures: Departures<Index>
  private let smallLimit: Int
  private let mainLimit: Int
  private var wasFull = false

  init(capacity: Int?, random: RandomSource) {
    smallLimit = Share.percent(10, of: capacity)
    mainLimit = (capacity ?? .max) - (capacity == nil ? 0 : smallLimit)
    departures = Departures(limit: Share.percent(90, of: capacity))
  }

  mutating func reserve(slots: Int) {
    queues.reserve(slots: slots)
    reads.grow(toAtLeast: slots, filling: 0)
    departures.reserve(slots: slots)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    departures.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { departures.prefetch(fingerprint) }

  mutating func willInsert(_ entry: EvictionEntry) { departures.willInsert(entry.fingerprint) }

  mutating func didInsert(_ entry: EvictionEntry) {
    reads[entry.slot] = 0
    let isSmallFull = !wasFull && queues.weight(of: Self.small) >= smallLimit
    let skips = departures.returns(entry) || isSmallFull
    queues.pushYoung(entry.slot, weight: entry.weight, to: skips ? Self.main : Self.small)
  }

  mutating func didHit(_ entry: EvictionEntry) {
    reads[entry.slot] = min(reads[entry.slot] + 1, 3)
  }

  mutating func didRemove(_ slot: Slot, cause: RemovalCause) {
    if cause == .evicted, queues.queue(of: slot) == Self.small { departures.append(slot) }
    queues.remove(slot)
  }

  mutating func nextVictim() -> Slot? {
    wasFull = true
    if queues.weight(of: Self.main) <= mainLimit {
      while let oldest = queues.oldest(of: Self.small) {
        guard reads[oldest] >= 2 else { return oldest }
        reads[oldest] = 0
        queues.move(oldest, toYoungOf: Self.main)
      }
    }
    while let oldest = queues.oldest(of: Self.main) {
      guard reads[oldest] > 0 else { return oldest }
      reads[oldest] -= 1
      queues.move(oldest, toYoungOf: Self.main)
    }
    return queues.oldest(of: Self.small)
  }

  func checkInvariants() {
    queues.checkInvariants()
    departures.checkInvariants()
  }
}
