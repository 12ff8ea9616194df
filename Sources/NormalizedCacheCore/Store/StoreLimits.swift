public import CacheModel
public import EvictionPolicies

/// The bounds that every store keeps, whatever its composition.
@usableFromInline enum StoreLimits {
  /// Queries of which it is remembered why they left.
  @usableFromInline static let departedQueries = 65_536
  /// Deletions remembered, so that older writes stay dead.
  @usableFromInline static let tombstones = 16_384
  /// Where memory is limited, one departed query is remembered for each so many bytes of it, and one
  /// deletion: each takes a thirtieth of them, so that history takes a small part of the limit.
  @usableFromInline static let memoryPerDeparture = 8_192
  @usableFromInline static let memoryPerTombstone = 4_096
  /// Changes remembered while fetches are in flight.
  @usableFromInline static let recentChanges = 8_192
  /// Streams that are followed; the events of any more are applied as they come, and may have gaps.
  @usableFromInline static let streams = 1_024
  /// Libraries that are distinguished; any more share the last of these, and are stale together.
  @usableFromInline static let libraries = 1_024
  /// Events held back behind a gap.
  @usableFromInline static let waitingEvents = 1_024
  /// Partial invalidations remembered for single entities.
  @usableFromInline static let notices = 32
  /// Bulk operations remembered, so that one marks once.
  @usableFromInline static let bulkTokens = 256
  /// Mutations that are neither committed nor rolled back.
  @usableFromInline static let pendingMutations = 1_024
  /// Edits in all of them together.
  @usableFromInline static let pendingEdits = 16_384
  /// Keys of the client's own of which the server's is remembered.
  @usableFromInline static let keyAliases = 4_096
  /// Replaced values that live on until observers have been notified.
  @usableFromInline static let replacedValues = 16
  /// Removals remembered for a storage; beyond them it is written again.
  @usableFromInline static let removedKeys = 32_768
}

/// A capacity in whole entities and bytes: eviction starts above the high marks and stops at the low
/// ones, and a hard limit is never exceeded.
@usableFromInline struct CapacityLimits: Sendable {
  @usableFromInline let entities: Int
  @usableFromInline let highEntities: Int
  @usableFromInline let lowEntities: Int
  @usableFromInline let bytes: Int
  @usableFromInline let highBytes: Int
  @usableFromInline let lowBytes: Int
  @usableFromInline let memory: Int
  @usableFromInline let highMemory: Int
  @usableFromInline let lowMemory: Int
  /// The share of the limits that entities on probation may take before they go first: a tenth.
  @usableFromInline let probationEntities: Int
  @usableFromInline let probationBytes: Int
  /// Whether bytes are limited, so that entities differ in the space that they take.
  @usableFromInline let countsBytes: Bool
  /// Whether an eviction order receives anything but numbers of entities.
  @usableFromInline let weighs: Bool
  /// Whether memory is limited, so that what tables take counts.
  @usableFromInline let countsMemory: Bool
  @usableFromInline let isHard: Bool
  /// Whether what is held back stands in a line, so that it can give way to a hard limit.
  @usableFromInline let tracksHeld: Bool
  /// The least that an entity takes where entities and bytes are both limited: the bytes of one of as
  /// many as fit.
  @usableFromInline let leastWeight: Int32
  /// What values take in memory.
  @usableFromInline let values: ValueMemory
  /// What the places of an entity that one query lists take in the tables, in bytes.
  @usableFromInline let bytesPerPlace: Int

  @inlinable init(
    _ capacity: Capacity, kind: LimitKind = .soft, retention: Retention = .none,
    values: ValueMemory = .weight, bytesPerPlace: Int = 0
  ) {
    func mark(_ limit: Int?, _ share: Double) -> Int {
      guard let limit else { return .max }
      // Beyond 2⁵³ a share cannot be distinguished from the limit itself.
      let whole = Int(exactly: (Double(limit) * share).rounded(.down)) ?? limit
      // A cache that may hold one does.
      return min(limit, max(whole, 1))
    }
    entities = capacity.entities ?? .max
    highEntities = mark(capacity.entities, capacity.highWatermark)
    lowEntities = mark(capacity.entities, capacity.lowWatermark)
    bytes = capacity.bytes ?? .max
    highBytes = mark(capacity.bytes, capacity.highWatermark)
    lowBytes = mark(capacity.bytes, capacity.lowWatermark)
    memory = capacity.memory ?? .max
    highMemory = mark(capacity.memory, capacity.highWatermark)
    lowMemory = mark(capacity.memory, capacity.lowWatermark)
    countsBytes = capacity.bytes != nil
    countsMemory = capacity.memory != nil
    weighs = capacity.bytes != nil || capacity.memory != nil
    isHard = kind == .hard
    tracksHeld = kind == .hard && retention != .none && capacity.isLimited
    self.values = values
    self.bytesPerPlace = bytesPerPlace
    probationEntities = capacity.entities == nil ? .max : ProbationQueue.share(of: highEntities)
    let heaviest = min(highBytes, capacity.memory == nil ? .max : values.weight(in: highMemory))
    probationBytes = heaviest == .max ? .max : ProbationQueue.share(of: heaviest)
    leastWeight = capacity.entities == nil ? 0 : Int32(clamping: highBytes / max(highEntities, 1))
  }

  /// The space that an eviction order is given: memory where it is limited, bytes where
  /// they are, otherwise entities; `nil`: none is.
  @inlinable var orderCapacity: Int? {
    if countsMemory { return highMemory }
    return countsBytes ? highBytes : highEntities < .max ? highEntities : nil
  }

  /// Whether a cache of this size keeps anything at all.
  @inlinable var admitsEntities: Bool { highEntities > 0 && highBytes > 0 && highMemory > 0 }
}

extension Capacity {
  @usableFromInline var isLimited: Bool { entities != nil || bytes != nil || memory != nil }
}

/// Why a composition cannot be carried out.
public enum CachePolicyError: Error, Hashable, Sendable, CustomStringConvertible {
  case negative(field: String, value: Int)
  case watermark(high: Double, low: Double)
  case unknownEvictionOrder(String)
  case unknownAdmission(String)
  case evictionOrderLooksAhead(String)
  case negativeDuration(field: String)
  case zeroDuration(field: String)

  @inlinable public var description: String {
    switch self {
    case .negative(let field, let value):
      "\(field) is \(value); it must be 0 or more"
    case .watermark(let high, let low):
      "watermarks are low \(low), high \(high); they must satisfy 0 <= low <= high <= 1"
    case .unknownEvictionOrder(let name):
      "no eviction order is called \"\(name)\"; known: "
        + EvictionPolicies.forCaches.map(\.name).joined(separator: ", ")
    case .unknownAdmission(let name):
      "no admission is called \"\(name)\"; known: "
        + AdmissionPolicies.all.map(\.name).joined(separator: ", ")
    case .evictionOrderLooksAhead(let name):
      "the eviction order \"\(name)\" needs to know the future, which only a replay or a simulation "
        + "does; choose another"
    case .negativeDuration(let field):
      "\(field) is negative; it must be 0 or more"
    case .zeroDuration(let field):
      "\(field) is zero; it must be more, or not be given at all"
    }
  }
}

extension CachePolicy {
  /// - Throws: ``CachePolicyError`` for the first field that is out of range.
  public func validate() throws(CachePolicyError) {
    for (field, value) in counts {
      if let value, value < 0 { throw .negative(field: field, value: value) }
    }
    let (low, high) = (capacity.lowWatermark, capacity.highWatermark)
    guard 0 <= low, low <= high, high <= 1 else { throw .watermark(high: high, low: low) }
    for (field, duration) in durations {
      if let duration, duration < .zero { throw .negativeDuration(field: field) }
    }
    if pollInterval == .zero { throw .zeroDuration(field: "poll interval") }
    for lifetime in freshness.perMethod.values where lifetime < .zero {
      throw .negativeDuration(field: "time to live of a method")
    }
  }

  /// The eviction order and the admission that the composition names.
  ///
  /// - Throws: ``CachePolicyError`` where there is none of the name, or none that a cache can use.
  @inlinable func policies(
    _ given: EvictionPolicyDescriptor?, looksAhead: Bool
  ) throws(CachePolicyError) -> (
    order: EvictionPolicyDescriptor, admission: AdmissionPolicyDescriptor
  ) {
    guard let order = given ?? EvictionPolicies.all.first(where: { $0.name == evictionOrder })
    else { throw .unknownEvictionOrder(evictionOrder) }
    guard looksAhead || !order.needsFuture else { throw .evictionOrderLooksAhead(order.name) }
    guard let admission = AdmissionPolicies.named(admission) else {
      throw .unknownAdmission(admission)
    }
    return (order, admission)
  }
}
