public import CacheModel

/// What an app says of its data beside reading and changing them.
extension NormalizedCache {
  /// Has a query fetched that will be wanted, unless the cache has it fresh; returns at once.
  ///
  /// It counts as no read, and errors are not reported. What it brings stays as long as that of any query
  /// that was read once. O(1).
  @inlinable public func prefetch(_ key: QueryKey) {
    perform { cache in
      cache.lookForLongerList(than: key)
      _ = cache.store.read(key, at: cache.clock.now, isRepeated: true)
      if cache.isFollowed { cache.record(.askedAgain(key)) }
    }
  }

  /// Keeps what a query lists, where the composition retains what is tagged; or no longer.
  ///
  /// The claim outlasts observers and a restart. A query that is not cached is not claimed: read it first.
  /// O(rows).
  @inlinable public func tag(_ key: QueryKey, _ isTagged: Bool = true) {
    perform { cache in
      if cache.isFollowed { cache.record(.tagged(key, isTagged)) }
      cache.store.tag(key, isTagged, at: cache.clock.now)
    }
  }

  /// Forgets what a library holds, here and in the storage: for a user who logs out.
  ///
  /// Observed queries are empty at once and fetched again. What users changed and the server has not
  /// confirmed stays, and is sent: see ``outbox``. Calls that wait for a fetch get its answer, which is not
  /// kept. A library of which there is nothing is no error. O(entities + queries).
  @inlinable public func clear(library: LibraryID) {
    if isFollowed {
      noteAnyChange(in: library)
      record(.cleared(library))
    }
    commit { store, now in store.clear(library, at: now) }
  }

  /// Evicts until no more is in memory than a share of what is there now: for a warning that memory is
  /// short.
  ///
  /// What is observed, tagged or pending stays, so more may be left. What is stored of it leaves the
  /// storage too. O(entities that go).
  ///
  /// - Precondition: `0 <= share <= 1`.
  @inlinable public func releaseMemory(toFraction share: Double) {
    precondition(0 <= share && share <= 1, "a share of \(share) is not between 0 and 1")
    if isFollowed { record(.released(toFraction: share)) }
    commit { store, now in store.releaseMemory(toFraction: share, at: now) }
  }
}
