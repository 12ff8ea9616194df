import Containers
package import EvictionPolicies

/// The misses of an LRU cache at some capacities in bytes, from one pass over a trace.
///
/// A get hits at a capacity if the weight of the distinct keys since its key's last use, itself
/// included, is at most that. This is exactly what a replay counts where every key keeps its weight,
/// none is deleted, and the capacity is at least the largest weight: what is resident is then always a
/// beginning of the stack, and no key leaves while what came after it fits beside it. Elsewhere it is an
/// estimate: a key that changed its weight counts with the one of its last use, a deletion lets all
/// below rise, and what is heavier than the cache, which a replay does not keep, pushes others down.
package struct LRUByteCurve: Hashable, Sendable {
  /// How many gets there were.
  package let requests: Int
  /// The bytes they asked for.
  package let bytesRequested: Int
  /// In bytes, in order.
  package let capacities: [Int]
  /// The misses at each capacity.
  package let misses: [Int]
  /// Whether the figures are those of a replay, whatever the capacity above the largest weight.
  package let isExact: Bool
  package let largestWeight: Int

  /// Computes the curve; O(lines · log keys).
  ///
  /// - Parameters:
  ///   - trace: with weights; one that is not known is the last known, or 1.
  ///   - capacities: in bytes, in any order.
  ///   - updates: whether the cache is told of updates.
  package init(
    of trace: InternedTrace, capacities: [Int],
    updates: ReplayRules.Updates = .invalidate
  ) {
    let capacities = Array(Set(capacities)).sorted()
    var stack = WeightedStackDistances(distinct: trace.distinct)
    var weights = Fixed<Int32>(repeating: 0, count: trace.distinct)
    var isStale = Fixed<Bool>(repeating: false, count: trace.distinct)
    // Hits that begin at each capacity, and those that no capacity is large enough for.
    var hits = [Int](repeating: 0, count: capacities.count + 1)
    var gets = 0
    var bytes = 0
    var largest: Int32 = 1
    var isExact = true
    for index in trace.ids.indices {
      let id = Int(trace.ids[index])
      let operation = trace.operations.isEmpty ? .get : trace.operations[index]
      switch operation {
      case .get, .set:
        let given = trace.weights.isEmpty ? 1 : trace.weights[index]
        let weight = given > 0 ? given : max(1, weights[id])
        if weights[id] > 0, weights[id] != weight { isExact = false }
        weights[id] = weight
        largest = max(largest, weight)
        let depth = stack.use(id, weight: weight)
        if operation == .get {
          gets += 1
          bytes += Int(weight)
          if let depth, !isStale[id] {
            hits[Self.firstIndex(in: capacities, atLeast: depth)] += 1
          }
        }
        isStale[id] = false
      case .update: isStale[id] = updates == .invalidate
      case .delete:
        isExact = false
        stack.delete(id)
        isStale[id] = false
      }
    }
    requests = gets
    bytesRequested = bytes
    self.capacities = capacities
    self.isExact = isExact
    largestWeight = Int(largest)
    var sum = 0
    misses = capacities.indices.map { index in
      sum += hits[index]
      return gets - sum
    }
  }

  private static func firstIndex(in capacities: [Int], atLeast depth: Int) -> Int {
    var low = 0
    var high = capacities.count
    while low < high {
      let middle = (low + high) / 2
      if capacities[middle] < depth { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
