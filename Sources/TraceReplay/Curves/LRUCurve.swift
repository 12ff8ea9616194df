import Containers
package import EvictionPolicies

/// The exact misses of an LRU cache at every capacity in entities, from one pass over a trace.
///
/// With demand fill, a cold start and a weight of one for every entity, the gets and misses at each capacity
/// equal those of a replay. Sets, updates and deletes are included; lifetimes are not, since the expiration
/// of a copy depends on the time of its fetch, and thereby on the capacity.
package struct LRUCurve: Hashable, Sendable {
  package let requests: Int
  /// The number of gets that hit at capacities from the index; at 0, none.
  package let depths: [UInt32]

  /// Computes the curve; O(lines), with about 16 bytes per key in addition to the trace.
  package init(of trace: InternedTrace, updates: ReplayRules.Updates = .invalidate) {
    var stack = StackDistances(distinct: trace.distinct)
    var depths = Fixed<UInt32>(repeating: 0, count: trace.distinct + 1)
    if trace.operations.isEmpty {
      let ids = trace.ids.span
      let last = ids.count - 1
      for index in ids.indices {
        // The memory that a use reads is known in advance: the slot of the key, and its mark.
        stack.prefetchPlace(Int(ids[min(index + 2 * Self.lookahead, last)]))
        stack.prefetchMark(Int(ids[min(index + Self.lookahead, last)]))
        // A new key has depth 0, which is no capacity.
        depths[stack.use(Int(ids[index])) ?? 0] &+= 1
      }
      depths[0] = 0
      requests = ids.count
    } else {
      requests = Self.follow(trace, updates, &stack, &depths)
    }
    var copy: [UInt32] = []
    copy.reserveCapacity(depths.count)
    for index in 0..<depths.count { copy.append(depths[index]) }
    self.depths = copy
  }

  /// The number of uses by which prefetching is ahead: enough for the latency, and few enough for the
  /// processor's caches.
  private static let lookahead = 12

  private static func follow(
    _ trace: InternedTrace, _ updates: ReplayRules.Updates, _ stack: inout StackDistances,
    _ depths: inout Fixed<UInt32>
  ) -> Int {
    var gets = 0
    var isStale = Fixed<Bool>(repeating: false, count: trace.distinct)
    for index in trace.ids.indices {
      let id = Int(trace.ids[index])
      switch trace.operations[index] {
      case .get:
        gets += 1
        let depth = stack.use(id)
        // A stale copy is fetched again at any capacity.
        if let depth, !isStale[id] { depths[depth] += 1 }
        isStale[id] = false
      case .set:
        _ = stack.use(id)
        isStale[id] = false
      case .update: isStale[id] = updates == .invalidate
      case .delete:
        stack.delete(id)
        isStale[id] = false
      }
    }
    return gets
  }

  /// The capacities at which the misses change, and 1.
  package var steps: [Int] {
    var steps = depths.indices.filter { depths[$0] > 0 }
    if steps.first != 1 { steps.insert(1, at: 0) }
    return steps
  }

  /// Returns the misses at one capacity, in entities; O(capacity).
  package func misses(capacity: Int) -> Int {
    requests - depths.prefix(capacity + 1).reduce(0) { $0 + Int($1) }
  }

  /// Returns the misses at each of some ascending capacities; O(largest).
  package func misses(capacities: [Int]) -> [Int] {
    var misses: [Int] = []
    var hits = 0
    var reached = 0
    for capacity in capacities {
      precondition(capacity >= reached, "capacities are not in order")
      for depth in stride(from: reached + 1, through: min(capacity, depths.count - 1), by: 1) {
        hits += Int(depths[depth])
      }
      reached = max(reached, min(capacity, depths.count - 1))
      misses.append(requests - hits)
    }
    return misses
  }
}

/// The depth of each key in the LRU stack: the number of distinct keys since its last use, including itself.
///
/// An LRU cache of `c` entities contains exactly the keys at depths 1 to `c` for any `c`, so one pass
/// determines the misses at every capacity. The last uses are marks in an array of slots (``MarkRanks``); the
/// depth of a key is the number of marks at or right of its own. When the array is full, the marks are
/// compacted to its left end, in their order.
///
/// A deletion leaves a hole, which keeps the pass exact with deletions: a cache that contains the hole has
/// room for one more entity. A key that moves to the top from below a hole fills it, and leaves one at its
/// previous position. A hole is a mark without a key.
///
/// Source: Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970;
/// for marks in the order of time, Bennett & Kruskal, "LRU stack processing", IBM Journal of Research and
/// Development 19(4), 1975; for holes, Thompson & Smith, "Efficient (stack) algorithms for analysis of
/// write-back and sector memories", ACM TOCS 7(1), 1989.
struct StackDistances: ~Copyable {
  /// The slot of a key's last use; -1: not in the stack.
  private var places: Fixed<Int32>
  private var marks: MarkRanks
  /// The slots of holes, a heap with the rightmost first.
  private var holes: [Int32] = []

  init(distinct: Int, slack: Int = 4) {
    precondition(distinct < 1 << 30, "\(distinct) keys are more than a line can hold twice")
    places = Fixed(repeating: -1, count: distinct)
    marks = MarkRanks(capacity: min(Int(Int32.max) - 128, max(distinct * slack, 1 << 12)))
  }

  /// Prefetches a key's slot; ``prefetchMark(_:)`` follows some uses later.
  @inline(__always) func prefetchPlace(_ id: Int) { places.prefetch(id) }

  /// Prefetches the marks at a key's slot, which a use will need soon.
  @inline(__always) func prefetchMark(_ id: Int) { marks.prefetch(Int(places[id])) }

  /// Returns the depth of a key, and moves it to the top; `nil` for one outside of the stack.
  @inline(__always) mutating func use(_ id: Int) -> Int? {
    if marks.isFull { compact() }
    let place = Int(places[id])
    let depth = place >= 0 ? marks.count(from: place) : nil
    if !holes.isEmpty, Int(holes[0]) > place {
      fillHole(from: place)
    } else if place >= 0 {
      marks.erase(place)
    }
    places[id] = Int32(truncatingIfNeeded: marks.append())
    return depth
  }

  /// Removes a key from the stack, if it is there, and leaves a hole.
  mutating func delete(_ id: Int) {
    guard places[id] >= 0 else { return }
    holes.append(places[id])
    places[id] = -1
    var child = holes.count - 1
    while child > 0, holes[(child - 1) / 2] < holes[child] {
      holes.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Fills the topmost hole with a mark from a slot below it, which becomes a hole; -1: from outside.
  private mutating func fillHole(from place: Int) {
    marks.erase(Int(holes[0]))
    if place >= 0 {
      holes[0] = Int32(truncatingIfNeeded: place)
    } else {
      let last = holes.removeLast()
      guard !holes.isEmpty else { return }
      holes[0] = last
    }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < holes.count else { return }
      if child + 1 < holes.count, holes[child + 1] > holes[child] { child += 1 }
      guard holes[child] > holes[parent] else { return }
      holes.swapAt(child, parent)
      parent = child
    }
  }

  /// Compacts the marks; O(distinct), after as many uses as the array has spare slots.
  private mutating func compact() {
    let count = marks.count
    func moved(_ place: Int32) -> Int32 {
      Int32(truncatingIfNeeded: count - marks.count(from: Int(place)))
    }
    for id in 0..<places.count where places[id] >= 0 { places[id] = moved(places[id]) }
    // The order is unchanged, so the heap remains valid.
    for index in holes.indices { holes[index] = moved(holes[index]) }
    marks.removeAll()
    for _ in 0..<count { _ = marks.append() }
  }
}
