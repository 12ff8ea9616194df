package import EvictionPolicies

package struct CurvePoint: Hashable, Sendable {
  package enum Method: String, Hashable, Sendable {
    /// One exact pass for all capacities.
    case onePass = "one-pass"
    /// One pass that does not equal a replay; see ``LRUByteCurve``.
    case onePassEstimate = "one-pass-estimate"
    /// A replay at this capacity.
    case replay
    /// A replay of a policy with partial knowledge of the future; see ``ReplayRow/isEstimate``.
    case replayEstimate = "replay-estimate"
    /// A lower bound for the misses of any policy; see ``WeightedBound``.
    case bound
    /// A sample of the keys, scaled.
    case sample
  }

  package var trace: String
  package var policy: String
  package var capacity: ReplayCapacity
  package var requests: Int
  /// The misses, estimated by some methods; `nil` if the sample has no reads.
  package var misses: Int?
  /// The miss ratio; `nil` without reads.
  package var missRatio: Double?
  package var method: Method
  /// The miss ratio of a replay of the whole trace, if requested.
  package var exactMissRatio: Double?
  /// The number of keys in the sample, if the point is from one.
  package var sampledKeys: Int?

  init(
    trace: InternedTrace, policy: String, capacity: ReplayCapacity, requests: Int, misses: Int,
    method: Method
  ) {
    self.trace = trace.name
    self.policy = policy
    self.capacity = capacity
    self.requests = requests
    self.misses = misses
    missRatio = requests > 0 ? Double(misses) / Double(requests) : nil
    self.method = method
    guard let whole = trace.sampledFrom else { return }
    self.requests = whole.gets
    self.method = .sample
    sampledKeys = trace.distinct
    guard requests > 0 else {
      self.misses = whole.gets > 0 ? nil : misses
      return
    }
    // Misses per request of the whole trace, relative to the expected number of requests in the sample: the
    // difference is mostly caused by very popular keys, which hit at any capacity, and counts as hits.
    // SHARDS-adj of the same paper.
    let ratio = min(1, Double(misses) / max(1, whole.sampling.rate * Double(whole.gets)))
    missRatio = ratio
    self.misses = Int((ratio * Double(whole.gets)).rounded())
  }
}

package enum MissRatioCurve {
  /// Returns capacities from 0.01% of the keys to all of them, six per power of ten.
  package static func usualCapacities(for trace: InternedTrace) -> [Int] {
    let scale = trace.sampledFrom?.sampling.rate ?? 1
    let all = Double(trace.distinct) / scale
    // Powers of the sixth root of ten.
    let steps = [
      1.0, 1.467_799_267_6, 2.154_434_690_0, 3.162_277_660_2, 4.641_588_833_6, 6.812_920_690_6,
    ]
    var capacities: [Int] = []
    for decade in [10_000.0, 1_000, 100, 10] {
      for step in steps {
        let capacity = Int((all / decade * step).rounded())
        let least = Double(scale < 1 ? SampleReach.enoughRoom : 1)
        if Double(capacity) * scale >= least, capacities.last != capacity,
          Double(capacity) < all.rounded()
        {
          capacities.append(capacity)
        }
      }
    }
    return capacities + [max(1, Int(all.rounded()))]
  }

  /// Returns the exact curve of LRU at capacities in entities.
  ///
  /// - Throws: ``CapacityError`` for one that is too small for a sample.
  package static func lru(
    of trace: InternedTrace, capacities: [Int], updates: ReplayRules.Updates = .invalidate
  ) throws(CapacityError) -> [CurvePoint] {
    let curve = LRUCurve(of: trace, updates: updates)
    let ordered = Array(Set(capacities)).sorted()
    var scaled: [Int] = []
    for capacity in ordered { scaled.append(try self.scaled(capacity, for: trace)) }
    let misses = curve.misses(capacities: scaled)
    return zip(ordered, misses).map {
      CurvePoint(
        trace: trace, policy: "lru", capacity: .entities($0), requests: curve.requests,
        misses: $1, method: .onePass)
    }
  }

  /// Returns the complete exact curve of LRU: a point at each capacity at which its misses change, and at 1.
  package static func wholeLRU(
    of trace: InternedTrace, updates: ReplayRules.Updates = .invalidate
  ) -> [CurvePoint] {
    let curve = LRUCurve(of: trace, updates: updates)
    let steps = curve.steps
    return zip(steps, curve.misses(capacities: steps)).map {
      CurvePoint(
        trace: trace, policy: "lru", capacity: .entities($0), requests: curve.requests,
        misses: $1, method: .onePass)
    }
  }

  /// Returns the curve of LRU at capacities in bytes.
  ///
  /// - Throws: ``CapacityError`` for one that is too small for a sample.
  package static func lru(
    of trace: InternedTrace, bytes capacities: [Int],
    updates: ReplayRules.Updates = .invalidate
  ) throws(CapacityError) -> [CurvePoint] {
    let ordered = Array(Set(capacities)).sorted()
    var scaled: [Int] = []
    for capacity in ordered { scaled.append(try self.scaled(capacity, for: trace)) }
    let curve = LRUByteCurve(of: trace, capacities: scaled, updates: updates)
    return zip(ordered, scaled).map { capacity, scaled in
      let place = curve.capacities.firstIndex(of: scaled) ?? 0
      let isExact = curve.isExact && scaled >= curve.largestWeight
      return CurvePoint(
        trace: trace, policy: "lru", capacity: .bytes(capacity), requests: curve.requests,
        misses: curve.misses[place], method: isExact ? .onePass : .onePassEstimate)
    }
  }

  /// Returns the lower bound of all policies' curves, at capacities of one unit.
  ///
  /// - Throws: ``CapacityError`` for one that is too small for a sample.
  package static func bound(
    of trace: InternedTrace, capacities: [Int], isInBytes: Bool,
    updates: ReplayRules.Updates = .invalidate
  ) throws(CapacityError) -> [CurvePoint] {
    let ordered = Array(Set(capacities)).sorted()
    var scaled: [Int] = []
    for capacity in ordered { scaled.append(try self.scaled(capacity, for: trace)) }
    let bound = WeightedBound(of: trace, isInBytes: isInBytes, updates: updates)
    return zip(ordered, bound.misses(capacities: scaled)).map { capacity, misses in
      CurvePoint(
        trace: trace, policy: WeightedBound.name,
        capacity: isInBytes ? .bytes(capacity) : .entities(capacity), requests: bound.requests,
        misses: misses, method: .bound)
    }
  }

  /// Returns the sample's equivalent of a capacity, or the capacity itself.
  package static func scaled(
    _ capacity: Int, for trace: InternedTrace
  ) throws(CapacityError) -> Int {
    guard let whole = trace.sampledFrom else { return capacity }
    let scaled = Int((Double(capacity) * whole.sampling.rate).rounded())
    guard scaled > 0 else {
      throw .belowSample(capacity, smallest: Int((1 / whole.sampling.rate).rounded(.up)))
    }
    return scaled
  }
}
