import Containers
package import EvictionPolicies

/// The misses of an LRU cache at some capacities in bytes, from one pass over a trace.
///
/// A get hits at a capacity if the weight of the distinct keys since its key's last use, including itself, is
/// at most that capacity. This equals a replay if every key has a constant weight, none is deleted, and the
/// capacity is at least the largest weight: the cache then always contains a prefix of the stack, and no key
/// is evicted while the keys above it fit as well. Otherwise it is an estimate: a key with a changed weight
/// counts with that of its last use, a deletion moves all keys below up, and a key larger than the cache,
/// which a replay does not store, moves others down.
package struct LRUByteCurve: Hashable, Sendable {
  package let requests: Int
  /// The number of requested bytes.
  package let bytesRequested: Int
  /// The capacities in bytes, in order.
  package let capacities: [Int]
  package let misses: [Int]
  /// Whether the figures equal those of a replay at any capacity of at least the largest weight.
  package let isExact: Bool
  package let largestWeight: Int

  /// Computes the curve; O(lines · log keys).
  package init(
    of trace: InternedTrace, capacities: [Int],
    updates: ReplayRules.Updates = .invalidate
  ) {
    let capacities = Array(Set(capacities)).sorted()
    var stack = WeightedStackDistances(distinct: trace.distinct)
    var weights = Fixed<Int32>(repeating: 0, count: trace.distinct)
    var isStale = Fixed<Bool>(repeating: false, count: trace.distinct)
    // Hits that begin at each capacity, and those that exceed all capacities.
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

/// The depth of each key in the LRU stack in bytes: the weight of the distinct keys since its last use,
/// including itself.
///
/// It works like ``StackDistances``, with weights instead of marks: sums of blocks of 64 slots are in a
/// Fenwick tree, and a query adds the slots of its own block. A use is O(log distinct).
///
/// Source: Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and Experience
/// 24(3), 1994.
struct WeightedStackDistances: ~Copyable {
  /// The slot of a key's last use; -1: not in the stack.
  private var places: Fixed<Int32>
  private var weights: Fixed<Int32>
  /// The sums of weights in blocks, as a Fenwick tree from 1.
  private var sums: Fixed<Int>
  private var total = 0
  private var next = 0

  private static let block = 64

  init(distinct: Int) {
    precondition(distinct < 1 << 30, "\(distinct) keys are more than a line can hold twice")
    places = Fixed(repeating: -1, count: distinct)
    let blocks = max(64, min(distinct * 4, Int(Int32.max) - 128) / Self.block + 1)
    weights = Fixed(repeating: 0, count: blocks * Self.block)
    sums = Fixed(repeating: 0, count: blocks + 1)
  }

  /// Returns the depth of a key in bytes, with its previous weight, and moves it to the top with a new weight
  /// above 0; `nil` for a key outside of the stack.
  mutating func use(_ id: Int, weight: Int32) -> Int? {
    if next == weights.count { compact() }
    let place = Int(places[id])
    var depth: Int?
    if place >= 0 {
      depth = sum(from: place)
      add(-Int(weights[place]), at: place)
      weights[place] = 0
    }
    places[id] = Int32(truncatingIfNeeded: next)
    weights[next] = weight
    add(Int(weight), at: next)
    next += 1
    return depth
  }

  /// Removes a key from the stack; the keys below it move up.
  mutating func delete(_ id: Int) {
    let place = Int(places[id])
    guard place >= 0 else { return }
    add(-Int(weights[place]), at: place)
    weights[place] = 0
    places[id] = -1
  }

  private func sum(from place: Int) -> Int {
    let first = place / Self.block
    var sum = total
    var node = first
    while node > 0 {
      sum -= sums[node]
      node &= node - 1
    }
    for left in first * Self.block..<place { sum -= Int(weights[left]) }
    return sum
  }

  private mutating func add(_ weight: Int, at place: Int) {
    total += weight
    var node = place / Self.block + 1
    while node < sums.count {
      sums[node] += weight
      node += node & -node
    }
  }

  private mutating func compact() {
    var kept: [(place: Int32, id: Int)] = []
    for id in 0..<places.count where places[id] >= 0 { kept.append((places[id], id)) }
    kept.sort { $0.place < $1.place }
    for node in 0..<sums.count { sums[node] = 0 }
    total = 0
    next = 0
    for (place, id) in kept {
      // Moves go left only, so no weight is overwritten before its own move.
      let weight = weights[Int(place)]
      weights[Int(place)] = 0
      weights[next] = weight
      places[id] = Int32(truncatingIfNeeded: next)
      add(Int(weight), at: next)
      next += 1
    }
  }
}

/// A lower bound for the misses of any policy, with any weights and any knowledge of the future.
///
/// A hit requires that the cache stores the entity since its last use, at a cost of its weight times the
/// number of lines. A cache has its capacity available on each line. So the cheapest hits with a total cost
/// within the capacity of the whole trace are an upper bound for hits. Since their choice ignores the
/// capacity at a single line, a policy may not reach the bound. With equal weights `clairvoyant-bypass` is
/// the optimum, and above the bound.
///
/// Source: Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal caching with variable object
/// sizes", Proceedings of the ACM on Measurement and Analysis of Computing Systems 2(2), 2018 (there PFOO-L).
package struct WeightedBound: Hashable, Sendable {
  /// The name in results and on the command line.
  package static let name = "weighted-bound"

  package let requests: Int
  /// The cost of each possible hit, in weight times lines, in ascending order.
  private let costs: [Int]
  /// The number of intervals between lines, in each of which the capacity is available.
  private let offers: Int

  /// Computes the costs of hits; O(lines · log lines), with 8 bytes for each possible hit.
  package init(
    of trace: InternedTrace, isInBytes: Bool, updates: ReplayRules.Updates = .invalidate
  ) {
    var lastUses = [Int](repeating: -1, count: trace.distinct)
    // The smallest weight of each key so far, since its copy may be from that time; 0: not seen.
    var weights = [Int32](repeating: 0, count: trace.distinct)
    var costs: [Int] = []
    var gets = 0
    for (line, id) in trace.ids.enumerated() {
      let id = Int(id)
      let operation = trace.operations.isEmpty ? .get : trace.operations[line]
      switch operation {
      case .get, .set:
        if operation == .get {
          gets += 1
          if lastUses[id] >= 0 { costs.append(Int(weights[id]) * (line - lastUses[id])) }
        }
        let given = isInBytes && !trace.weights.isEmpty ? trace.weights[line] : 0
        if weights[id] == 0 {
          weights[id] = max(1, given)
        } else if given > 0 {
          weights[id] = min(weights[id], given)
        }
        lastUses[id] = line
      case .update: if updates == .invalidate { lastUses[id] = -1 }
      case .delete: lastUses[id] = -1
      }
    }
    costs.sort()
    self.costs = costs
    requests = gets
    offers = max(0, trace.ids.count - 1)
  }

  /// Returns the lower bound for misses at some capacities; O(possible hits).
  package func misses(capacities: [Int]) -> [Int] {
    var misses: [Int] = []
    var hits = 0
    var spent = 0
    for capacity in capacities {
      let (offer, isMore) = capacity.multipliedReportingOverflow(by: offers)
      while hits < costs.count, isMore || spent <= offer - costs[hits] {
        spent &+= costs[hits]
        hits += 1
      }
      misses.append(requests - hits)
    }
    return misses
  }
}
