public import CacheModel
public import EvictionPolicies

/// Why a composition cannot be carried out.
public enum CompositionError: Error, Hashable, Sendable, CustomStringConvertible {
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

extension PolicyComposition {
  /// - Throws: ``CompositionError`` for the first field that is out of range.
  @inlinable public func validate() throws(CompositionError) {
    let counts = [
      ("capacity in entities", capacity.entities), ("capacity in bytes", capacity.bytes),
      ("capacity in memory", capacity.memory),
      ("maximum of queries", maximumQueries),
      ("release buffer's queries", releaseBuffer?.queries),
    ]
    for (field, value) in counts {
      if let value, value < 0 { throw .negative(field: field, value: value) }
    }
    let (low, high) = (capacity.lowWatermark, capacity.highWatermark)
    guard 0 <= low, low <= high, high <= 1 else { throw .watermark(high: high, low: low) }
    let durations = [
      ("reorder window", reorderWindow), ("coalescing window", coalescingWindow),
      ("release buffer's age", releaseBuffer?.age), ("time to live", freshness.timeToLive),
      ("stale-while-revalidate", freshness.staleWhileRevalidate),
      ("stale-if-error", freshness.staleIfError), ("poll interval", pollInterval),
    ]
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
  /// - Parameters:
  ///   - given: the order to take in the place of the one that it names; `nil`: the named one.
  ///   - looksAhead: whether the order is given what will be used.
  /// - Returns: the given order, or its line in the registry, and the admission's line.
  /// - Throws: ``CompositionError`` where there is none of the name, or none that a cache can use.
  @inlinable func policies(
    _ given: EvictionPolicyDescriptor?, looksAhead: Bool
  ) throws(CompositionError) -> (
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
