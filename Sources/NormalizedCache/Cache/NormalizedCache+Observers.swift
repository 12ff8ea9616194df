public import CacheModel

/// Two doors for observers: a callback on the committing path, and a stream beside it.
extension NormalizedCache {
  /// Watches a query by callback: the fast door.
  ///
  /// The query is fetched if it must be; where it has a result already, the callback comes before
  /// this returns.
  ///
  /// The callback should return within microseconds: the next commit waits for it.
  @inlinable public func observe(_ key: QueryKey, onChange: @escaping Observer) -> QueryObservation
  {
    observe(key, onChange: onChange, stream: nil)
  }

  @inlinable func observe(
    _ key: QueryKey, onChange: @escaping Observer, stream: ObserverTable.Stream?
  ) -> QueryObservation {
    let identifier = nextIdentifier()
    if stream?.onProgress != nil { followers += 1 }
    // While callbacks run the store is in the midst of a commit.
    if !isNotifying { lookForLongerList(than: key) }
    let number = observers.add(
      ObserverTable.Entry(identifier: identifier, callback: onChange, stream: stream), of: key)
    if store.members(of: key) != nil {
      // What the first callback writes waits for its end too.
      let isNested = isNotifying
      isNotifying = true
      onChange(self, key)
      isNotifying = isNested
    }
    perform { cache in
      let now = cache.clock.now
      cache.store.addObserver(of: key, as: number, at: now)
      let read = cache.store.read(key, at: now)
      cache.noteRead(
        of: .query(key), read.outcome, isExpired: read.isExpired, isView: true, at: now)
    }
    return QueryObservation { [weak self] in await self?.removeObserver(identifier, of: key) }
  }

  /// Watches a query as a stream: the convenient door.
  ///
  /// A snapshot is made when the reader takes it and shows the query as it is then, so a slow reader
  /// costs no memory, delays no one else, and gets the final state. Ending the loop, or its task, ends the
  /// subscription; the stream ends with the cache.
  @inlinable public func updates(of key: QueryKey) -> AsyncStream<QuerySnapshot<Payload>> {
    updates(of: key) { cache, _ in cache.snapshot(of: key) }
  }

  /// What a query shows now.
  ///
  /// O(rows).
  @inlinable public func snapshot(of key: QueryKey) -> QuerySnapshot<Payload> {
    let result = store.residentRows(of: key)
    return QuerySnapshot(
      key: key, rows: result?.rows ?? [], isComplete: result?.missing == 0,
      isFresh: store.isFresh(key, at: clock.now), hasMore: store.showsMore(key))
  }

  @inlinable func removeObserver(_ identifier: UInt64, of key: QueryKey) {
    guard let entry = observers.remove(identifier, of: key) else { return }
    if entry.stream?.onProgress != nil { followers -= 1 }
    if !observers.isObserved(key) { fetchErrors[key] = nil }
    perform { cache in
      if cache.isFollowed { cache.recordEndOfView(of: key) }
      cache.store.removeObserver(of: key, at: cache.clock.now)
    }
  }
}
