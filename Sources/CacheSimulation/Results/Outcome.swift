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
}
