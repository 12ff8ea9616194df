/// What became of a read, in the words of the reports; the raw value is the metric's name.
enum Outcome: String, CaseIterable, Sendable {
  case hitFresh = "hit_fresh"
  case hitStale = "hit_stale"
  case partial
  case missCold = "miss_cold"
  case missExpired = "miss_expired"
  case missEvicted = "miss_evicted"
  case missInvalidated = "miss_invalidated"
  case coalesced
  case bypass
  case failed

  /// The place of the outcome in `allCases`.
  var ordinal: Int {
    switch self {
    case .hitFresh: 0
    case .hitStale: 1
    case .partial: 2
    case .missCold: 3
    case .missExpired: 4
    case .missEvicted: 5
    case .missInvalidated: 6
    case .coalesced: 7
    case .bypass: 8
    case .failed: 9
    }
  }
}
