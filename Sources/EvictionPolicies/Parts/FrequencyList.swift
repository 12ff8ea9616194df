/// Slots by frequency of use, lowest first, and of equals by the time of reaching it.
///
/// A list of buckets, one per occurring frequency, each with a list of its slots; so counting a use, adding
/// and removing are O(1). Only ``reserve(slots:)`` allocates: a bucket is never empty, so there are at most
/// as many as slots.
struct FrequencyList: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Node: BitwiseCopyable {
    var older: Int32
    var younger: Int32
    /// The bucket; -1: the slot is not in the list.
    var bucket: Int32

    static let absent = Node(older: -1, younger: -1, bucket: -1)
  }

  struct Bucket: BitwiseCopyable {
    var frequency: Int
    var oldest: Int32
    var youngest: Int32
    /// The neighbours by frequency; the bucket at 0 is at both ends.
    var rarer: Int32
    var oftener: Int32

    static let vacant = Bucket(frequency: 0, oldest: -1, youngest: -1, rarer: 0, oftener: 0)
  }

  private var nodes = Flat<Node>(repeating: .absent, count: 0)
  private var buckets = Flat<Bucket>(repeating: .vacant, count: 1)
  /// Free buckets, linked by `oftener`; 0 ends the list.
  private var vacant: Int32 = 0
  private(set) var count = 0
  private(set) var uses = 0

  mutating func reserve(slots: Int) {
    nodes.grow(toAtLeast: slots, filling: .absent)
    let former = buckets.count
    buckets.grow(toAtLeast: slots + 1, filling: .vacant)
    for bucket in stride(from: buckets.count - 1, through: former, by: -1) {
      release(Int32(truncatingIfNeeded: bucket))
    }
  }

  /// The least frequently used slot, of equals the one that has been so for longest.
  var rarest: Slot? { count == 0 ? nil : buckets[buckets[0].oftener].oldest }

  func contains(_ slot: Slot) -> Bool { nodes[slot].bucket >= 0 }

  func frequency(of slot: Slot) -> Int { buckets[nodes[slot].bucket].frequency }

  mutating func insert(_ slot: Slot) {
    precondition(!contains(slot), "slot \(slot) is in the order already")
    let first = buckets[0].oftener
    let bucket = buckets[first].frequency == 1 ? first : makeBucket(of: 1, after: 0)
    append(slot, to: bucket)
    count += 1
    uses += 1
  }

  mutating func promote(_ slot: Slot) {
    precondition(contains(slot), "slot \(slot) is not in the order")
    uses += 1
    let bucket = nodes[slot].bucket
    let frequency = buckets[bucket].frequency + 1
    let next = buckets[bucket].oftener
    let hasNext = buckets[next].frequency == frequency
    if !hasNext, buckets[bucket].oldest == buckets[bucket].youngest {
      // Usually alone in its bucket, as popular slots are.
      buckets[bucket].frequency = frequency
      return
    }
    let target = hasNext ? next : makeBucket(of: frequency, after: bucket)
    unlink(slot)
    append(slot, to: target)
  }

  mutating func remove(_ slot: Slot) {
    precondition(contains(slot), "slot \(slot) is not in the order")
    uses -= frequency(of: slot)
    unlink(slot)
    nodes[slot] = .absent
    count -= 1
  }

  /// Halves every frequency, rounding up; of those that become equal, the rarer is the older.
  ///
  /// O(n).
  mutating func halve() {
    uses = 0
    var bucket = buckets[0].oftener
    while bucket != 0 {
      let next = buckets[bucket].oftener
      let rarer = buckets[bucket].rarer
      let frequency = buckets[bucket].frequency / 2 + buckets[bucket].frequency % 2
      buckets[bucket].frequency = frequency
      let isMerged = rarer != 0 && buckets[rarer].frequency == frequency
      var slot = buckets[bucket].oldest
      while slot >= 0 {
        let younger = nodes[slot].younger
        uses += frequency
        if isMerged {
          unlink(slot)
          append(slot, to: rarer)
        }
        slot = younger
      }
      bucket = next
    }
  }

  private mutating func append(_ slot: Slot, to bucket: Int32) {
    let youngest = buckets[bucket].youngest
    nodes[slot] = Node(older: youngest, younger: -1, bucket: bucket)
    buckets[bucket].youngest = slot
    if youngest >= 0 { nodes[youngest].younger = slot } else { buckets[bucket].oldest = slot }
  }

  /// Removes a slot from its bucket, and the bucket from the list if it is then empty.
  private mutating func unlink(_ slot: Slot) {
    let node = nodes[slot]
    if node.older >= 0 {
      nodes[node.older].younger = node.younger
    } else {
      buckets[node.bucket].oldest = node.younger
    }
    if node.younger >= 0 {
      nodes[node.younger].older = node.older
    } else {
      buckets[node.bucket].youngest = node.older
    }
    guard node.older < 0, node.younger < 0 else { return }
    let bucket = buckets[node.bucket]
    buckets[bucket.rarer].oftener = bucket.oftener
    buckets[bucket.oftener].rarer = bucket.rarer
    release(node.bucket)
  }

  private mutating func makeBucket(of frequency: Int, after rarer: Int32) -> Int32 {
    let bucket = vacant
    assert(bucket != 0, "every bucket holds a slot")
    vacant = buckets[bucket].oftener
    let oftener = buckets[rarer].oftener
    buckets[bucket] = Bucket(
      frequency: frequency, oldest: -1, youngest: -1, rarer: rarer, oftener: oftener)
    buckets[rarer].oftener = bucket
    buckets[oftener].rarer = bucket
    return bucket
  }

  private mutating func release(_ bucket: Int32) {
    buckets[bucket].oftener = vacant
    vacant = bucket
  }

  /// Traps unless the list is consistent; O(n), for tests.
  func checkInvariants() {
    var seen = 0
    var sum = 0
    var before: Int32 = 0
    var bucket = buckets[0].oftener
    while bucket != 0 {
      precondition(buckets[bucket].rarer == before, "bucket \(bucket) does not point back")
      precondition(
        buckets[bucket].frequency > buckets[before].frequency, "buckets are out of order")
      var older: Int32 = -1
      var slot = buckets[bucket].oldest
      precondition(slot >= 0, "bucket \(bucket) is empty")
      while slot >= 0 {
        precondition(nodes[slot].bucket == bucket, "slot \(slot) strayed from its bucket")
        precondition(nodes[slot].older == older, "slot \(slot) does not point back")
        seen += 1
        sum += buckets[bucket].frequency
        precondition(seen <= count, "the list has a cycle")
        older = slot
        slot = nodes[slot].younger
      }
      precondition(buckets[bucket].youngest == older, "bucket \(bucket) lost its young end")
      before = bucket
      bucket = buckets[bucket].oftener
    }
    precondition(seen == count && sum == uses, "the list miscounts")
  }
}

/// Slots by a rank that the policy assigns, least first, and of equals the least recently used.
///
/// Each insertion, use and removal is O(log n); only ``reserve(slots:)`` allocates.
struct RankedSlots<Rank: Comparable & BitwiseCopyable>: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Key: Comparable, BitwiseCopyable {
    var rank: Rank
    var lastUse: Int64

    static func < (first: Key, second: Key) -> Bool {
      (first.rank, first.lastUse) < (second.rank, second.lastUse)
    }
  }

  private var heap: SlotHeap<Key>
  private var uses: Int64 = 0

  init(filler: Rank) {
    heap = SlotHeap(filler: Key(rank: filler, lastUse: 0))
  }

  mutating func reserve(slots: Int) { heap.reserve(slots: slots) }

  /// The slot with the least rank; `nil` if there is none.
  var least: Slot? { heap.least }

  func rank(of slot: Slot) -> Rank { heap.key(of: slot).rank }

  /// Adds a slot, which counts as its first use.
  mutating func insert(_ slot: Slot, rank: Rank) {
    uses += 1
    heap.insert(slot, key: Key(rank: rank, lastUse: uses))
  }

  mutating func use(_ slot: Slot, rank: Rank) {
    uses += 1
    heap.update(slot, key: Key(rank: rank, lastUse: uses))
  }

  mutating func remove(_ slot: Slot) { heap.remove(slot) }

  func checkInvariants() { heap.checkInvariants() }
}

/// Sizes the parts of a policy.
enum Share {
  /// Returns a percentage of a capacity, rounded down, without overflow.
  ///
  /// `nil` (no limit) has parts without limit.
  static func percent(_ percent: Int, of capacity: Int?) -> Int {
    guard let capacity else { return .max }
    return capacity / 100 * percent + capacity % 100 * percent / 100
  }
}
