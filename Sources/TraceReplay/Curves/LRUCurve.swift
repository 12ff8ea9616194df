import Containers
package import EvictionPolicies

/// The misses of an LRU cache at every capacity in entities, exactly, from one pass over a trace.
///
/// Demand fill from a cold start, every entity weighing one: at each capacity the gets and misses are
/// those that a replay counts. Sets, updates and deletes are followed; lifetimes are not, since when a
/// copy expires depends on when it was fetched, and that on the capacity.
package struct LRUCurve: Hashable, Sendable {
  /// How many gets there were.
  package let requests: Int
  /// Gets that hit at capacities from the index on; at 0, none.
  package let depths: [UInt32]

  /// Computes the curve; O(lines), with about 16 bytes per key beside the trace.
  ///
  /// - Parameters:
  ///   - trace: ids and operations.
  ///   - updates: whether the cache is told of updates; see ``ReplayRules/Updates-swift.enum``.
  package init(of trace: InternedTrace, updates: ReplayRules.Updates = .invalidate) {
    var stack = StackDistances(distinct: trace.distinct)
    var depths = Fixed<UInt32>(repeating: 0, count: trace.distinct + 1)
    if trace.operations.isEmpty {
      let ids = trace.ids.span
      let last = ids.count - 1
      for index in ids.indices {
        // What a use reads is known long before: the place of the key, and where that leads.
        stack.prefetchPlace(Int(ids[min(index + 2 * Self.lookahead, last)]))
        stack.prefetchMark(Int(ids[min(index + Self.lookahead, last)]))
        // A key that is new has depth 0, which is no capacity.
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

  /// How many uses ahead memory is asked for: long enough to arrive, short enough to stay.
  private static let lookahead = 12

  /// Follows a trace with operations.
  ///
  /// - Returns: how many gets there were.
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

  /// The misses at one capacity, in entities; O(capacity).
  package func misses(capacity: Int) -> Int {
    requests - depths.prefix(capacity + 1).reduce(0) { $0 + Int($1) }
  }

  /// The misses at each of some capacities, from the smallest up; O(largest).
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
