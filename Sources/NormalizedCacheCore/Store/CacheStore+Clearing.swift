public import CacheModel
public import EvictionPolicies

/// Letting go of what the app does not want to keep, whatever the composition says.
extension CacheStore {
  /// Forgets what a library holds: its entities, its queries and their fetches, here and in the storage.
  ///
  /// Observed queries are empty at once and fetched again. What has pending edits stays, and so do the
  /// queue of mutations, the place in each stream, and which entities were deleted. The answer of a fetch
  /// that is under way reaches those who wait for it, and is not kept. O(slots + queries).
  ///
  /// - Parameters:
  ///   - library: whose data.
  ///   - now: the time.
  @inlinable public mutating func clear(_ library: LibraryID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let index = libraries.knownIndex(of: library) else { return }
    fetches.forget(library: index)
    fetches.settle()
    for query in queries.indices where queries[query].key.library == library { clear(query) }
    for slot in 0..<Int32(entities.slotCount)
    where entities.isInUse(slot) && entities[slot].library == index {
      if entities.isResident(slot), entities[slot].references == 0 {
        removeResident(slot, cause: .invalidated)
      }
      entities.freeIfUnused(slot)
    }
  }

  /// Forgets a query; one that is observed begins anew.
  @inlinable mutating func clear(_ query: Int32) {
    let (key, observers) = (queries[query].key, queries[query].observers)
    let number = queries[query].observedAs
    for _ in 0..<observers { _ = queries.removeObserver(query) }
    _ = notifications.leaveWindow(query, &queries[query])
    queries[query].fetch = nil
    dropQuery(query, cause: .missInvalidated)
    guard observers > 0 else { return }
    let anew = insertObserved(key)
    for _ in 0..<observers { _ = queries.addObserver(anew) }
    queries[anew].observedAs = number
    refetches.polls.schedule(anew)
    refetches.want(anew)
    touchRows(of: anew)
  }

  /// Evicts until no more is resident than a share of what is resident now, in entities and in bytes.
  ///
  /// First what the eviction order names, then, with what they alone hold back, the unobserved
  /// queries that no tag claims, the least recently used first. What is observed, tagged or pending stays,
  /// so more may be left. O(entities and listings that go).
  ///
  /// - Parameters:
  ///   - share: from 0 to 1.
  ///   - now: the time.
  /// - Precondition: `0 <= share <= 1`.
  @inlinable public mutating func releaseMemory(toFraction share: Double, at now: Instant) {
    precondition(0 <= share && share <= 1, "a share of \(share) is not between 0 and 1")
    beginCommit(at: now)
    defer { endCommit() }
    let most = Int((Double(entities.residentCount) * share).rounded(.down))
    let heaviest = Int((Double(entities.residentWeight) * share).rounded(.down))
    var isSetAside = false
    while entities.residentCount > most || entities.residentWeight > heaviest {
      if let victim = nextVictim(but: nil, isSetAside: &isSetAside) {
        evict(victim)
      } else if let query = leastRecentlyUsedWithoutTag {
        evictQuery(query)
      } else {
        return
      }
    }
  }

  /// The unobserved query that was used longest ago, of those that no tag claims; O(tagged queries).
  @inlinable var leastRecentlyUsedWithoutTag: Int32? {
    var query = queries.leastRecentlyUsed
    while let candidate = query, queries[candidate].isTagged {
      query = queries.unobserved.younger(than: candidate)
    }
    return query
  }
}
