package import EvictionPolicies

/// A point of a miss ratio curve.
package struct CurvePoint: Hashable, Sendable {
  /// How a point came about.
  package enum Method: String, Hashable, Sendable {
    /// One pass that tells every capacity, exactly.
    case onePass = "one-pass"
    /// One pass, where it is not what a replay counts; see ``LRUByteCurve``.
    case onePassEstimate = "one-pass-estimate"
    /// A replay at this capacity.
    case replay
    /// A replay of a policy that claims to know the future; see ``ReplayRow/isEstimate``.
    case replayEstimate = "replay-estimate"
    /// Computed: no policy can have fewer misses; see ``WeightedBound``.
    case bound
    /// A sample of the keys, scaled.
    case sample
  }

  package var trace: String
  package var policy: String
  package var capacity: ReplayCapacity
  package var requests: Int
  /// An estimate, where the method is one; `nil` where nothing of a sample is read.
  package var misses: Int?
  /// `nil` where nothing is read.
  package var missRatio: Double?
  package var method: Method
  /// What a replay of the whole trace counts, where it was asked for.
  package var exactMissRatio: Double?
  /// How many keys the sample had, of a point that is drawn from one.
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
    // Misses per request of the whole, with as many requests in the sample as its rate lets expect:
    // the difference is mostly that of very popular keys, which hit at any capacity, and counts as
    // hits. SHARDS-adj of the same paper.
    let ratio = min(1, Double(misses) / max(1, whole.sampling.rate * Double(whole.gets)))
    missRatio = ratio
    self.misses = Int((ratio * Double(whole.gets)).rounded())
  }
}

/// Miss ratios over capacities.
package enum MissRatioCurve {
  /// Capacities from 0.01 % of the keys to all of them, six in each power of ten.
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

  /// The exact curve of LRU at capacities in entities.
  ///
  /// - Throws: ``CapacityError`` for one that a sample is too small for.
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

  /// The exact curve of LRU, whole: a point at each capacity at which its misses change, and at 1.
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

  /// The curve of LRU at capacities in bytes.
  ///
  /// - Throws: ``CapacityError`` for one that a sample is too small for.
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

  /// The curve below which no policy comes, at capacities of one unit.
  ///
  /// - Throws: ``CapacityError`` for one that a sample is too small for.
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

  /// What a cache of the capacity is for the sample, or the capacity itself.
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
