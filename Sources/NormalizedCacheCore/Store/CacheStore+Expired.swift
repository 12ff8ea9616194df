public import CacheModel
public import EvictionPolicies

/// What has expired, and is served all the same.
extension CacheStore {
  /// Whether a query's result has expired within a window, and is otherwise whole and not known to be
  /// out of date.
  @inlinable func isServedExpired(_ query: Int32, within window: Duration) -> Bool {
    let record = queries[query]
    return record.hasResult && record.hasExpired(at: now)
      && !record.hasExpired(at: now, forAtLeast: window.wholeNanoseconds)
      && record.missing == 0 && !isMarkedStale(query)
      // A cache that can hold no entity is no cache of empty lists either.
      && (!record.members.isEmpty || composition.capacity.entities != 0)
  }

  /// The same of a resident entity.
  @inlinable func isServedExpired(
    _ slot: Slot, _ payload: Payload, within window: Duration
  ) -> Bool {
    hasExpired(slot, at: now) && !hasExpired(slot, at: now, forAtLeast: window.wholeNanoseconds)
      && !isStaleEntity(slot, payload: payload)
  }

  /// Whether a resident entity has outlived its time to live, and by how much at least, in
  /// nanoseconds.
  @inlinable func hasExpired(
    _ slot: Slot, at now: Instant, forAtLeast window: Int64 = 0
  ) -> Bool {
    expiries.hasExpired(writtenAt: entities[slot].writtenAt, at: now, forAtLeast: window)
  }

  /// What those get who waited for a fetch that came to nothing.
  @inlinable func ending(ofFailed target: FetchTarget) -> FetchEnding {
    let window = composition.freshness.staleIfError
    guard window > .zero else { return .failed }
    switch target {
    case .query(let key):
      guard let query = queries.index(of: key) else { return .failed }
      return isServedExpired(query, within: window) ? .servedExpired : .failed
    case .entity(let key):
      guard let slot = entities.slot(of: key), let payload = wholePayload(of: slot) else {
        return .failed
      }
      return isServedExpired(slot, payload, within: window) ? .servedExpired : .failed
    }
  }
}
