package import EvictionPolicies

/// Fewer misses than these no policy has, whatever entities weigh and whatever it knows.
///
/// To hit, an entity must have been kept since its last use, which takes its weight for as many lines.
/// A cache offers its capacity on each line. So the hits that cost least, up to all that the cache
/// offers over the trace, are more than any policy can have. Choosing them asks nowhere that what is
/// kept at one instant fits, so no policy need reach the bound. With equal weights `clairvoyant-bypass`
/// is the optimum, and above the bound.
///
/// Source: Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal caching with variable
/// object sizes", Proceedings of the ACM on Measurement and Analysis of Computing Systems 2(2), 2018
/// (there PFOO-L).
package struct WeightedBound: Hashable, Sendable {
  /// What results and command lines call it.
  package static let name = "weighted-bound"

  /// How many gets there were.
  package let requests: Int
  /// What each possible hit costs, in weight times lines, from the least up.
  private let costs: [Int]
  /// How often a trace's capacity is on offer: between each two of its lines.
  private let offers: Int

  /// Finds what hits would cost; O(lines · log lines), with 8 bytes for each that is possible.
  ///
  /// - Parameters:
  ///   - trace: what expires is taken to live on, which only makes the bound lower.
  ///   - isInBytes: whether an entity weighs what lines say, the least where they differ; else 1.
  ///   - updates: whether the cache is told of updates, and so has a miss after each.
  package init(
    of trace: InternedTrace, isInBytes: Bool, updates: ReplayRules.Updates = .invalidate
  ) {
    var lastUses = [Int](repeating: -1, count: trace.distinct)
    // The least that each has weighed so far, since a copy may have been made then; 0: not seen.
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

  /// The least misses at each of some capacities; O(possible hits).
  ///
  /// - Parameter capacities: from the smallest up, in bytes or entities.
  /// - Returns: one number for each capacity.
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
