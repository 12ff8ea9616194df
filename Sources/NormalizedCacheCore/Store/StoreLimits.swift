public import CacheModel
public import EvictionPolicies

/// Fixed bounds of every store, whatever its policy.
@usableFromInline enum StoreLimits {
  /// Removed queries whose removal cause is remembered.
  @usableFromInline static let departedQueries = 65_536
  /// Tombstones, so that older writes are ignored.
  @usableFromInline static let tombstones = 16_384
  /// Under a memory limit, the bytes of the limit per remembered removal and per tombstone: each uses a
  /// thirtieth of them, so that history is a small part of the limit.
  @usableFromInline static let memoryPerDeparture = 8_192
  @usableFromInline static let memoryPerTombstone = 4_096
  /// Changes recorded while fetches are in flight.
  @usableFromInline static let recentChanges = 8_192
  /// Streams followed; events of further streams are applied as they arrive, without gap detection.
  @usableFromInline static let streams = 1_024
  /// Libraries distinguished; further ones share the last index, and become stale together.
  @usableFromInline static let libraries = 1_024
  @usableFromInline static let waitingEvents = 1_024
  /// Partial invalidations recorded for single entities.
  @usableFromInline static let notices = 32
  /// Bulk operations recorded, so that each marks data stale once.
  @usableFromInline static let bulkTokens = 256
  /// Mutations that are neither committed nor rolled back.
  @usableFromInline static let pendingMutations = 1_024
  /// Edits of all of them.
  @usableFromInline static let pendingEdits = 16_384
  /// Client keys whose server key is remembered.
  @usableFromInline static let keyAliases = 4_096
  /// Replaced values kept until observers have been notified.
  @usableFromInline static let replacedValues = 16
  /// Removals recorded for a storage; beyond that it is rewritten.
  @usableFromInline static let removedKeys = 32_768
}

/// A capacity as numbers of entities and bytes: eviction begins above the high watermarks and ends at the low
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
  /// The number of entities on probation above which they are evicted first: a tenth of the limit.
  @usableFromInline let probationEntities: Int
  @usableFromInline let probationBytes: Int
  /// Whether bytes are limited, so that entities differ in size.
  @usableFromInline let countsBytes: Bool
  /// Whether an eviction order counts anything but entities.
  @usableFromInline let weighs: Bool
  /// Whether memory is limited, so that tables count.
  @usableFromInline let countsMemory: Bool
  @usableFromInline let isHard: Bool
  /// Whether retained entities are tracked, so that a hard limit can evict them.
  @usableFromInline let tracksHeld: Bool
  /// The minimum size of an entity if entities and bytes are both limited: the byte limit divided by the
  /// entity limit.
  @usableFromInline let leastWeight: Int32
  @usableFromInline let values: ValueMemory
  /// The bytes in the tables of an entity that one query lists.
  @usableFromInline let bytesPerPlace: Int

  @inlinable init(
    _ capacity: Capacity, kind: LimitKind = .soft, retention: Retention = .none,
    values: ValueMemory = .weight, bytesPerPlace: Int = 0
  ) {
    func mark(_ limit: Int?, _ share: Double) -> Int {
      guard let limit else { return .max }
      // Above 2⁵³ a share cannot be distinguished from the limit itself.
      let whole = Int(exactly: (Double(limit) * share).rounded(.down)) ?? limit
      // The watermark of a limit of at least one is at least one.
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

  /// The capacity of an eviction order: memory if it is limited, else bytes if they are, else entities;
  /// `nil`: unlimited.
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

/// Why a policy is invalid.
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

  /// Returns the policy's eviction order and admission.
  ///
  /// - Throws: ``CachePolicyError`` if there is none with the name, or none that a cache can use.
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
