/// What the cache of an app made of a read, in the words of a recording.
package enum RecordedOutcome: String, Hashable, Sendable, CaseIterable {
  /// Served without waiting; whether that was true is not said.
  case hit
  /// Anything but a hit; why is not said.
  case miss
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
