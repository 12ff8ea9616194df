/// Departed entities in the order of their departure, in a ring.
///
/// What returns leaves a hole, which the old end passes over, and which is squeezed out when the
/// ring is full of holes; so every operation is amortised O(1), and writes go round the ring in
/// sequence. The index that finds a ghost belongs to the policy, since two queues may share one; a
/// value in it is a place in the ring and the mark of the queue.
struct GhostQueue<Index: GhostIndex & ~Copyable>: ~Copyable {
  private var ring = Flat<Index.Ghost>(repeating: .hole, count: 1)
  /// The old end and the place of the next arrival, counted without end.
  private var head = 0
  private var tail = 0
  /// How many there may be.
  private var limit = 0
  private(set) var count = 0
  /// The sum of what the entities weighed.
  private(set) var weight = 0
  private let mark: Int32

  /// - Parameter mark: 0 or 1, by which the queues that share an index differ.
  init(mark: Int32 = 0) {
    self.mark = mark
  }

  var isEmpty: Bool { count == 0 }

  /// Whether a value of the index is of this queue.
  func holds(_ value: Int32) -> Bool { value >= 0 && value & 1 == mark }

  /// Allows for `limit` ghosts; O(`limit`) where that is more than before.
  mutating func reserve(ghosts limit: Int, in index: inout Index) {
    // A place and a mark are numbered with 31 bits.
    let limit = min(limit, 1 << 29)
    guard limit > self.limit else { return }
    self.limit = limit
    var size = ring.count
    // Twice as many places as ghosts: squeezing is paid for by the arrivals since the last time.
    while size < limit * 2 { size *= 2 }
    guard size > ring.count else { return }
    squeeze(into: size, &index)
  }

  /// Adds an entity that has just gone; one too many pushes the oldest out.
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

  /// Takes out the ghost that a value of the index names, which returns or is forgotten.
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

  /// Traps unless the queue is sound and the index finds all of it; O(n).
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
