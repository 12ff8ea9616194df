package import EvictionPolicies

/// A family of curves over one trace: which policies, at which capacities.
package struct CurveRequest: Sendable {
  package var policies: [EvictionPolicyDescriptor]
  package var capacities: [ReplayCapacity]
  /// Whether ``WeightedBound`` is drawn, too.
  package var drawsBound: Bool
  package var options: Replay.Options
  package var seed: UInt64

  package init(
    policies: [EvictionPolicyDescriptor], capacities: [ReplayCapacity], drawsBound: Bool = false,
    options: Replay.Options = Replay.Options(), seed: UInt64 = 1
  ) {
    self.policies = policies
    self.capacities = capacities
    self.drawsBound = drawsBound
    self.options = options
    self.seed = seed
  }

  /// The points, policy by policy, from the smallest capacity up.
  ///
  /// LRU takes one pass, unless something expires; every other policy a replay per capacity, several
  /// at once.
  package func points(of trace: InternedTrace, width: Int) async throws -> [CurvePoint] {
    let expires = !trace.lifetimes.isEmpty || options.timeToLive != nil
    var cells: [Replay.Cell] = []
    var places: [CurvePoint?] = []
    var asked: [(place: Int, capacity: ReplayCapacity)] = []
    for policy in policies {
      if policy.name == "lru", !expires {
        places += try onePass(trace).map { $0 }
        continue
      }
      for capacity in capacities {
        let scaled: ReplayCapacity =
          switch capacity {
          case .entities(let count): .entities(try MissRatioCurve.scaled(count, for: trace))
          case .bytes(let count): .bytes(try MissRatioCurve.scaled(count, for: trace))
          }
        asked.append((places.count, capacity))
        places.append(nil)
        cells.append(
          try Replay.cell(policy, at: scaled, of: trace, options: options))
      }
    }
    let rows = await Replay.run(cells, of: trace, seed: seed, width: width)
    for ((place, capacity), row) in zip(asked, rows) {
      places[place] = CurvePoint(
        trace: trace, policy: row.policy, capacity: capacity, requests: row.counts.requests,
        misses: row.counts.misses, method: row.isEstimate ? .replayEstimate : .replay)
    }
    let bound = drawsBound ? try bound(trace) : []
    return places.compactMap { $0 } + bound
  }

  private func bound(_ trace: InternedTrace) throws(CapacityError) -> [CurvePoint] {
    let (entities, bytes) = sizes
    var points: [CurvePoint] = []
    for (counts, isInBytes) in [(entities, false), (bytes, true)] where !counts.isEmpty {
      points += try MissRatioCurve.bound(
        of: trace, capacities: counts, isInBytes: isInBytes, updates: options.updates)
    }
    return points
  }

  /// The capacities by their unit.
  private var sizes: (entities: [Int], bytes: [Int]) {
    var entities: [Int] = []
    var bytes: [Int] = []
    for capacity in capacities {
      switch capacity {
      case .entities(let count): entities.append(count)
      case .bytes(let count): bytes.append(count)
      }
    }
    return (entities, bytes)
  }

  private func onePass(_ trace: InternedTrace) throws(CapacityError) -> [CurvePoint] {
    let (entities, bytes) = sizes
    var points: [CurvePoint] = []
    if !entities.isEmpty {
      points += try MissRatioCurve.lru(
        of: trace, capacities: entities, updates: options.updates)
    }
    if !bytes.isEmpty {
      points += try MissRatioCurve.lru(of: trace, bytes: bytes, updates: options.updates)
    }
    return points
  }
}

/// What a sample of a trace's keys can tell.
///
/// A cache of `c` entities for the whole is one of `rate · c` for the sample, and chance decides which
/// of the popular keys are among those: of a few, the misses say more about the draw than about the
/// trace. A sample of all keys is the whole and tells everything.
package struct SampleReach: Hashable, Sendable {
  /// How many keys the sample has.
  package let keys: Int
  private let rate: Double
  /// The mean size of a line in bytes; 1 where the trace has no sizes.
  private let meanWeight: Double

  /// With fewer keys than this, errors of several points are common.
  package static let enoughKeys = 5_000
  /// A cache with room for fewer of the sample's entities tells nothing.
  package static let enoughRoom = 100

  /// - Returns: `nil` for a trace that is whole.
  package init?(of trace: InternedTrace) {
    guard let whole = trace.sampledFrom, whole.sampling.rate < 1 else { return nil }
    keys = trace.distinct
    rate = whole.sampling.rate
    let bytes = trace.weights.reduce(0) { $0 + Int($1) }
    meanWeight = max(1, Double(bytes) / Double(max(1, trace.weights.count)))
  }

  package var hasEnoughKeys: Bool { keys >= Self.enoughKeys }

  /// The rate at which there would be enough keys, rounded up to a hundredth; `nil`: at none below 1.
  package var rateWithEnoughKeys: Double? {
    let rate = self.rate * Double(Self.enoughKeys) / Double(max(1, keys))
    let rounded = (rate * 100).rounded(.up) / 100
    return rounded < 1 ? rounded : nil
  }

  /// Whether a cache of the capacity has room for enough of the sample.
  package func tells(of capacity: ReplayCapacity) -> Bool {
    switch capacity {
    case .entities(let count): Double(count) * rate >= Double(Self.enoughRoom)
    case .bytes(let count): Double(count) * rate >= Double(Self.enoughRoom) * meanWeight
    }
  }

  /// The smallest capacity in entities that the sample tells of.
  package var smallestEntities: Int { Int((Double(Self.enoughRoom) / rate).rounded(.up)) }
}
