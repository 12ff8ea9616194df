/// A queue of departed entities in the order of their departure, in a ring buffer.
///
/// A returning ghost leaves a hole, which is skipped at the old end, and removed when the ring is full of
/// holes; so every operation is amortised O(1), and writes are sequential. The index that finds a ghost
/// belongs to the policy, since two queues may share one; its values contain a position in the ring and the
/// queue's mark.
struct GhostQueue<Index: GhostIndex & ~Copyable>: ~Copyable {
  private var ring = Flat<Index.Ghost>(repeating: .hole, count: 1)
  /// The old end and the position of the next arrival, as ever-increasing counts.
  private var head = 0
  private var tail = 0
  private var limit = 0
  private(set) var count = 0
  private(set) var weight = 0
  private let mark: Int32

  init(mark: Int32 = 0) {
    self.mark = mark
  }

  var isEmpty: Bool { count == 0 }

  /// Returns whether a value of the index belongs to this queue.
  func holds(_ value: Int32) -> Bool { value >= 0 && value & 1 == mark }

  /// Reserves space for `limit` ghosts; O(`limit`) if that is more than before.
  mutating func reserve(ghosts limit: Int, in index: inout Index) {
    // A position and a mark are numbered with 31 bits.
    let limit = min(limit, 1 << 29)
    guard limit > self.limit else { return }
    self.limit = limit
    var size = ring.count
    // Twice as many positions as ghosts: arrivals since the last compaction pay for the next.
    while size < limit * 2 { size *= 2 }
    guard size > ring.count else { return }
    squeeze(into: size, &index)
  }

  /// Adds a departed entity, and drops the oldest beyond the limit.
  mutating func append(_ ghost: Index.Ghost, to index: inout Index) {
    guard limit > 0 else { return }
    if count == limit { dropOldest(from: &index) }
    if tail - head == ring.count { squeeze(into: ring.count, &index) }
    let place = tail & (ring.count - 1)
    ring[place] = ghost
    index.set(Int32(truncatingIfNeeded: place) << 1 | mark, of: ghost.fingerprint)
    tail += 1
    count += 1
    weight += ghost.weight
  }

  /// Removes the ghost with this value of the index, because it returns or is forgotten.
  mutating func remove(_ value: Int32, from index: inout Index) {
    let place = Int(value >> 1)
    let ghost = ring[place]
    assert(holds(value) && !ghost.isHole, "no ghost stands at \(place)")
    ring[place] = .hole
    count -= 1
    weight -= ghost.weight
    index.remove(ghost.fingerprint, ifValue: value)
  }

  mutating func dropOldest(from index: inout Index) {
    assert(count > 0, "there is no ghost to forget")
    while ring[head & (ring.count - 1)].isHole { head += 1 }
    let place = Int32(truncatingIfNeeded: head & (ring.count - 1))
    remove(place << 1 | mark, from: &index)
    head += 1
  }

  private mutating func squeeze(into size: Int, _ index: inout Index) {
    var former = Flat<Index.Ghost>(repeating: .hole, count: size)
    swap(&former, &ring)
    var kept = 0
    for position in head..<tail {
      let ghost = former[position & (former.count - 1)]
      guard !ghost.isHole else { continue }
      ring[kept] = ghost
      index.set(Int32(truncatingIfNeeded: kept) << 1 | mark, of: ring[kept].fingerprint)
      kept += 1
    }
    head = 0
    tail = kept
  }

  /// Traps unless the queue is consistent and the index finds all of it; O(n).
  func checkInvariants(in index: borrowing Index) {
    var seen = 0
    var sum = 0
    for position in head..<tail {
      let place = position & (ring.count - 1)
      guard !ring[place].isHole else { continue }
      let value = index.value(of: ring[place].fingerprint)
      precondition(value == Int32(place) << 1 | mark, "the index lost the ghost at \(place)")
      seen += 1
      sum += ring[place].weight
    }
    precondition(seen == count && sum == weight, "the queue of ghosts miscounts")
    precondition(count <= limit, "there are more ghosts than are allowed")
  }
}

/// Finds a policy's record of a departed entity by fingerprint.
///
/// A policy with ghosts is generic over it: in a cache fingerprints are hashes (``HashedGhosts``), in a
/// replay they are numbers from 0 (``DenseGhosts``), which takes one load from a flat array.
protocol GhostIndex: ~Copyable, SendableMetatype {
  /// The record of a ghost besides its position.
  associatedtype Ghost: GhostRecord

  init()

  /// Reserves space for `count` ghosts at once; called before there are more.
  mutating func reserve(ghosts count: Int)
  /// Announces that every fingerprint will be below `limit`.
  mutating func reserve(fingerprintsBelow limit: Int)

  /// Prefetches the memory that ``value(of:)`` will read.
  func prefetch(_ fingerprint: UInt64)
  /// Returns the last value set for the fingerprint; -1: none.
  func value(of fingerprint: UInt64) -> Int32
  /// Sets the value of the fingerprint; at least 0.
  mutating func set(_ value: Int32, of fingerprint: UInt64)
  /// Removes a fingerprint, unless it has a different value by now.
  mutating func remove(_ fingerprint: UInt64, ifValue value: Int32)
}

/// A departed entity: its fingerprint and its weight.
protocol GhostRecord: BitwiseCopyable, SendableMetatype {
  init(fingerprint: UInt64, weight: Int32)
  /// The placeholder of a removed ghost.
  static var hole: Self { get }
  var isHole: Bool { get }
  var fingerprint: UInt64 { get }
  var weight: Int { get }
}

/// An index of ghosts whose fingerprints are the numbers of a trace's keys, and that all have weight one.
///
/// Four bytes per key; every operation is one access.
struct DenseGhosts: GhostIndex, ~Copyable {
  struct Ghost: GhostRecord {
    private var number: UInt32

    init(fingerprint: UInt64, weight: Int32) { number = UInt32(truncatingIfNeeded: fingerprint) }
    // Slots are signed, so no entity has this number.
    static var hole: Ghost { Ghost(fingerprint: .max, weight: 0) }
    var isHole: Bool { number == .max }
    var fingerprint: UInt64 { UInt64(number) }
    var weight: Int { 1 }
  }

  private var values = Flat<Int32>(repeating: -1, count: 0)

  init() {}

  mutating func reserve(ghosts count: Int) {}

  mutating func reserve(fingerprintsBelow limit: Int) {
    values.grow(toAtLeast: limit, filling: -1)
  }

  func prefetch(_ fingerprint: UInt64) { values.prefetch(Int(truncatingIfNeeded: fingerprint)) }

  func value(of fingerprint: UInt64) -> Int32 { values[Int(truncatingIfNeeded: fingerprint)] }

  mutating func set(_ value: Int32, of fingerprint: UInt64) {
    values[Int(truncatingIfNeeded: fingerprint)] = value
  }

  mutating func remove(_ fingerprint: UInt64, ifValue value: Int32) {
    // Each number belongs to one entity, so no other value was set.
    values[Int(truncatingIfNeeded: fingerprint)] = -1
  }
}

/// The latest departures, up to a total weight, for a policy that only needs to know whether an arrival
/// returns.
struct Departures<Index: GhostIndex & ~Copyable>: ~Copyable {
  private var index = Index()
  private var queue = GhostQueue<Index>()
  /// The ghost that each slot's entity will leave.
  private var residents = Flat(repeating: Index.Ghost.hole, count: 0)
  /// The maximum total weight.
  private let limit: Int
  private var announced: (fingerprint: UInt64, returns: Bool)?

  init(limit: Int) {
    self.limit = limit
  }

  mutating func reserve(slots: Int) {
    // With as many ghosts as slots, no policy looks back further than twice its capacity.
    index.reserve(ghosts: slots)
    residents.grow(toAtLeast: slots, filling: .hole)
    queue.reserve(ghosts: slots, in: &index)
  }

  mutating func reserve(fingerprintsBelow limit: Int) {
    index.reserve(fingerprintsBelow: limit)
  }

  func prefetch(_ fingerprint: UInt64) { index.prefetch(fingerprint) }

  /// Announces an arrival: its return is checked before victims could displace its ghost.
  mutating func willInsert(_ fingerprint: UInt64) {
    announced = (fingerprint, take(fingerprint))
  }

  /// Returns whether an arrival departed recently, and removes its ghost.
  mutating func returns(_ entry: EvictionEntry) -> Bool {
    residents[entry.slot] = .init(fingerprint: entry.fingerprint, weight: entry.weight)
    if let announced, announced.fingerprint == entry.fingerprint {
      self.announced = nil
      return announced.returns
    }
    return take(entry.fingerprint)
  }

  /// Adds a ghost of a slot's departing entity.
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
