public import HeapModule

/// When to look at queries again: one instant for each at most, the earliest first, ties by index.
///
/// A later instant for a query that waits already is not taken, since who looks too early can ask
/// again; so a query whose instant is put off a thousand times has one entry. One that is brought forward
/// leaves an entry behind; when those are the greater part, they are swept out. O(log queries) to
/// add and to take, amortised.
@usableFromInline struct QueryDeadlines {
  @usableFromInline var heap = Heap<Deadline>()
  /// The instant for each query, in nanoseconds; `Int64.max`: none.
  @usableFromInline var instants: [Int64] = []

  @usableFromInline struct Deadline: Comparable {
    @usableFromInline var at: Int64
    @usableFromInline var query: Int32

    @inlinable static func < (lhs: Deadline, rhs: Deadline) -> Bool {
      lhs.at != rhs.at ? lhs.at < rhs.at : lhs.query < rhs.query
    }
    @inlinable init(at: Int64, query: Int32) {
      self.at = at
      self.query = query
    }
  }

  @inlinable init() {}

  /// How many instants are kept, those that have been replaced included.
  @inlinable var count: Int { heap.count }

  /// The earliest instant, or an earlier one at which nothing is due any longer; `Int64.max`: none.
  ///
  /// Kept beside the heap, so that a commit that comes before it pays one comparison.
  @usableFromInline var first = Int64.max

  @inlinable mutating func schedule(_ query: Int32, at instant: Int64) {
    while instants.count <= Int(query) { instants.append(.max) }
    guard instant < instants[Int(query)] else { return }
    instants[Int(query)] = instant
    heap.insert(Deadline(at: instant, query: query))
    if heap.count > limit { sweep() }
    first = min(first, instant)
  }

  /// The most entries: twice what can be needed, so that sweeping is paid for by what came before.
  @inlinable var limit: Int { 2 * instants.count + 16 }

  /// Throws out what has been replaced.
  ///
  /// O(queries).
  @inlinable mutating func sweep() {
    let instants = instants
    heap = Heap(
      instants.indices.filter { instants[$0] != .max }.map {
        Deadline(at: instants[$0], query: Int32($0))
      })
  }

  /// Takes the query whose instant is the earliest, if it has come.
  @inlinable mutating func takeDue(at now: Int64) -> Int32? {
    while first <= now, let due = heap.popMin() {
      first = heap.min?.at ?? .max
      // An earlier instant was taken since: this one has been replaced.
      guard instants[Int(due.query)] == due.at else { continue }
      instants[Int(due.query)] = .max
      return due.query
    }
    return nil
  }
}
