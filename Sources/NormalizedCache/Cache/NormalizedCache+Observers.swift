public import CacheModel

/// Two doors for observers: a callback on the committing path, and a stream beside it.
extension NormalizedCache {
  /// Watches a query by callback: the fast door.
  ///
  /// The query is fetched if it must be; where it has a result already, the callback comes before
  /// this returns.
  ///
  /// The callback should return within microseconds: the next commit waits for it.
  public func observe(_ key: QueryKey, onChange: @escaping Observer) -> Observation {
    observe(key, onChange: onChange, onEnd: {})
  }

  private func observe(
    _ key: QueryKey, onChange: @escaping Observer, onEnd: @escaping @Sendable () -> Void
  ) -> Observation {
    let identifier = nextIdentifier()
    observers[key, default: []].append(
      ObserverEntry(identifier: identifier, callback: onChange, onEnd: onEnd))
    if store.members(of: key) != nil {
      // What the first callback writes waits for its end too.
      let isNested = isNotifying
      isNotifying = true
      onChange(self, key)
      isNotifying = isNested
    }
    commit { store, now in
      store.addObserver(of: key, at: now)
      _ = store.read(key, at: now)
    }
    return Observation { [weak self] in await self?.removeObserver(identifier, of: key) }
  }

  /// Watches a query as a stream: the convenient door.
  ///
  /// It holds at most one snapshot, the newest, so a slow reader costs bounded memory, delays
  /// nobody, and gets the final state. Ending the loop, or its task, ends the subscription.
  public func updates(of key: QueryKey) -> AsyncStream<QuerySnapshot<Payload>> {
    let (stream, continuation) = AsyncStream<QuerySnapshot<Payload>>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let observation = observe(
      key,
      onChange: { cache, key in continuation.yield(cache.snapshot(of: key)) },
      onEnd: { continuation.finish() })
    continuation.onTermination = { _ in
      Task { await observation.cancel() }
    }
    return stream
  }

  /// What a query shows now.
  ///
  /// O(rows).
  public func snapshot(of key: QueryKey) -> QuerySnapshot<Payload> {
    let rows = store.rows(of: key)
    let resident = (rows ?? []).compactMap { $0 }
    return QuerySnapshot(
      key: key, rows: resident, isComplete: rows.map { $0.count == resident.count } ?? false,
      isFresh: store.isFresh(key, at: clock.now))
  }

  private func removeObserver(_ identifier: UInt64, of key: QueryKey) {
    guard let index = observers[key]?.firstIndex(where: { $0.identifier == identifier }) else {
      return
    }
    observers[key]?.remove(at: index)
    if observers[key]?.isEmpty == true { observers[key] = nil }
    commit { store, now in store.removeObserver(of: key, at: now) }
  }
}
