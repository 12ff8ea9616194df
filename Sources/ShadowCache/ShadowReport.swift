public import NormalizedCache

/// The results of a ``ShadowCache``.
public struct ShadowReport: Hashable, Sendable {
  /// The results of each method.
  public private(set) var methods: [QueryMethod: ShadowCounts] = [:]
  /// Gaps in the events for which the cache would have asked the server.
  public internal(set) var gaps = 0
  /// Requests that are in no other figure, since too many were waiting for an answer.
  public internal(set) var requestsNotFollowed = 0

  init() {}

  /// All methods together; O(methods).
  public var total: ShadowCounts { methods.values.reduce(ShadowCounts(), +) }

  mutating func note(_ outcome: ReadOutcome, of method: QueryMethod, isExpired: Bool) {
    methods[method, default: ShadowCounts()].reads.note(outcome, isExpired)
  }

  mutating func noteSaved(
    bytes: Int, waiting: Duration, isStale: Bool, of method: QueryMethod
  ) {
    methods[method, default: ShadowCounts()].noteSaved(bytes, waiting, isStale)
  }

  mutating func noteUnanswered(of method: QueryMethod) {
    methods[method, default: ShadowCounts()].unanswered += 1
  }

  mutating func noteServedWithoutServer(of method: QueryMethod) {
    methods[method, default: ShadowCounts()].servedWithoutServer += 1
  }
}

/// The results for the requests of one method.
public struct ShadowCounts: Hashable, Sendable {
  /// Reads by the way in which the cache would have answered.
  public internal(set) var reads = ReadCounts()
  /// Hits that differ from the server's answer.
  public private(set) var staleHits = 0
  /// Bytes that the app's client fetched and the cache would not have fetched.
  public private(set) var bytesSaved = 0
  /// Time that the app's client waited and the cache would not have waited.
  public private(set) var waitingSaved = Duration.zero
  /// Misses that the app's client served from its own cache, so that the server's answer is unknown.
  public internal(set) var unanswered = 0
  /// Hits for which the app's client got no answer.
  public internal(set) var servedWithoutServer = 0

  init() {}

  mutating func noteSaved(_ bytes: Int, _ waiting: Duration, _ isStale: Bool) {
    bytesSaved += bytes
    waitingSaved += waiting
    if isStale { staleHits += 1 }
  }

  static func + (lhs: ShadowCounts, rhs: ShadowCounts) -> ShadowCounts {
    var sum = lhs
    sum.reads = lhs.reads + rhs.reads
    sum.staleHits += rhs.staleHits
    sum.bytesSaved += rhs.bytesSaved
    sum.waitingSaved += rhs.waitingSaved
    sum.unanswered += rhs.unanswered
    sum.servedWithoutServer += rhs.servedWithoutServer
    return sum
  }
}
