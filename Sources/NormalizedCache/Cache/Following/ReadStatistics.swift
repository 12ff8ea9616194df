public import CacheModel

/// How a cache has answered its reads since it was made, for each method.
///
/// A read is a call of ``NormalizedCache/query(_:)`` or ``NormalizedCache/fetchEntity(_:library:)``, or the
/// beginning of an observation; looking (`rows(of:)`, `entity(_:)`, `snapshot(of:)`) is none.
public struct ReadStatistics: Hashable, Sendable {
  /// Reads of queries.
  public private(set) var methods: [QueryMethod: ReadCounts] = [:]
  /// Reads of single entities.
  public private(set) var entities = ReadCounts()

  @usableFromInline init() {}

  /// All reads; O(methods).
  public var total: ReadCounts { methods.values.reduce(entities, +) }

  /// O(1).
  @usableFromInline mutating func note(
    _ outcome: ReadOutcome, of target: FetchTarget, isExpired: Bool
  ) {
    switch target {
    case .query(let key): methods[key.method, default: ReadCounts()].note(outcome, isExpired)
    case .entity: entities.note(outcome, isExpired)
    }
  }

  @usableFromInline mutating func noteFailures(_ count: Int, of target: FetchTarget) {
    switch target {
    case .query(let key): methods[key.method, default: ReadCounts()].failures += count
    case .entity: entities.failures += count
    }
  }
}

/// Reads by how they were answered.
public struct ReadCounts: Hashable, Sendable {
  /// By the raw value of the outcome.
  private var counts = [Int](repeating: 0, count: ReadOutcome.allCases.count)
  /// Hits that had outlived their time to live; they are among the hits.
  public private(set) var expiredHits = 0
  /// Reads that waited for a fetch, and got its error; they are among the misses.
  public internal(set) var failures = 0

  package init() {}

  /// How many were answered so.
  public subscript(outcome: ReadOutcome) -> Int { counts[Int(outcome.rawValue)] }

  /// The sum of all outcomes.
  public var reads: Int { counts.reduce(0, +) }

  /// Those served without waiting.
  public var hits: Int { self[.hit] }

  /// The share of hits among reads; `nil` where there are none.
  public var hitRatio: Double? { reads == 0 ? nil : Double(hits) / Double(reads) }

  package mutating func note(_ outcome: ReadOutcome, _ isExpired: Bool) {
    counts[Int(outcome.rawValue)] += 1
    if isExpired { expiredHits += 1 }
  }

  package static func + (lhs: ReadCounts, rhs: ReadCounts) -> ReadCounts {
    var sum = lhs
    for index in sum.counts.indices { sum.counts[index] += rhs.counts[index] }
    sum.expiredHits += rhs.expiredHits
    sum.failures += rhs.failures
    return sum
  }
}
