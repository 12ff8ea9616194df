package import EvictionPolicies

/// The policies and capacities of curves over one trace.
package struct CurveRequest: Sendable {
  package var policies: [EvictionPolicyDescriptor]
  package var capacities: [ReplayCapacity]
  /// Whether ``WeightedBound`` is included.
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

  /// Returns the points, policy by policy, by ascending capacity.
  ///
  /// LRU requires one pass, unless entities expire; any other policy requires one replay per capacity,
  /// several in parallel.
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

/// The validity of a sample of a trace's keys.
///
/// A cache of `c` entities for the whole trace corresponds to `rate · c` for the sample, and the choice of
/// popular keys is random: with few keys, the misses depend more on that choice than on the trace. A sample
/// of all keys is the whole trace, and always valid.
package struct SampleReach: Hashable, Sendable {
  package let keys: Int
  private let rate: Double
  /// The mean size of an entity in bytes; 1 if the trace has no sizes.
  private let meanWeight: Double

  /// The minimum number of keys; with fewer, errors of several percentage points are common.
  package static let enoughKeys = 5_000
  /// The minimum number of the sample's entities in a cache.
  package static let enoughRoom = 100

  package init?(of trace: InternedTrace) {
    guard let whole = trace.sampledFrom, whole.sampling.rate < 1 else { return nil }
    keys = trace.distinct
    rate = whole.sampling.rate
    let bytes = trace.weights.reduce(0) { $0 + Int($1) }
    meanWeight = max(1, Double(bytes) / Double(max(1, trace.weights.count)))
  }

  package var hasEnoughKeys: Bool { keys >= Self.enoughKeys }

  /// The rate with enough keys, rounded up to a hundredth; `nil`: none below 1.
  package var rateWithEnoughKeys: Double? {
    let rate = self.rate * Double(Self.enoughKeys) / Double(max(1, keys))
    let rounded = (rate * 100).rounded(.up) / 100
    return rounded < 1 ? rounded : nil
  }

  /// Returns whether a cache of the capacity has room for enough of the sample.
  package func tells(of capacity: ReplayCapacity) -> Bool {
    switch capacity {
    case .entities(let count): Double(count) * rate >= Double(Self.enoughRoom)
    case .bytes(let count): Double(count) * rate >= Double(Self.enoughRoom) * meanWeight
    }
  }

  /// The smallest valid capacity in entities.
  package var smallestEntities: Int { Int((Double(Self.enoughRoom) / rate).rounded(.up)) }
}
