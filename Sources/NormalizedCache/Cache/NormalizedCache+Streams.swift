public import CacheModel

/// Streams of a query's states, whose elements are created on demand.
extension NormalizedCache {
  /// A pending notification for a stream's reader.
  ///
  /// Commits only set flags, so a stalled reader costs them no more than that.
  @usableFromInline final class News: Sendable {
    @usableFromInline enum Kind: Sendable {
      /// The query's rows changed.
      case rows
      /// Other state changed: fetching, gaps, errors.
      case progress
    }

    /// Accessed only on the cache's actor.
    @usableFromInline nonisolated(unsafe) var pending: Kind?
    // Not the stream of signals itself, which ends the subscription when its reader releases it.
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    static func make() -> (News, Signals) {
      let (signals, continuation) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1))
      return (News(continuation), Signals(stream: signals, continuation: continuation))
    }

    func end() { continuation.finish() }

    func arrive(_ kind: Kind, on cache: isolated NormalizedCache<Schema>) {
      if pending == nil { continuation.yield() }
      if pending != .rows { pending = kind }
    }

    /// Returns the pending kind and clears it.
    @inlinable func take(on cache: isolated NormalizedCache<Schema>) -> Kind? {
      defer { pending = nil }
      return pending
    }
  }

  struct Signals {
    var stream: AsyncStream<Void>
    var continuation: AsyncStream<Void>.Continuation
  }

  /// Observes a query by notifications.
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - news: receives the notifications; its signals end with the cache.
  ///   - followsProgress: whether fetches and gaps notify too, and the first notification comes at once, with
  ///     or without a result.
  /// - Returns: the subscription.
  func observe(_ key: QueryKey, with news: News, followsProgress: Bool) -> QueryObservation {
    let progress: Observer = { cache, _ in news.arrive(.progress, on: cache) }
    let observation = observe(
      key, onChange: { cache, _ in news.arrive(.rows, on: cache) },
      stream: ObserverTable.Stream(
        onProgress: followsProgress ? progress : nil, onEnd: { news.end() }))
    if followsProgress { news.arrive(.progress, on: self) }
    return observation
  }

  /// Returns a stream of a query whose elements `make` creates on demand.
  @usableFromInline func updates<Element: Sendable>(
    of key: QueryKey,
    _ make: @escaping @Sendable (isolated NormalizedCache<Schema>, News.Kind) -> Element
  ) -> AsyncStream<Element> {
    let (news, signals) = News.make()
    let observation = observe(key, with: news, followsProgress: false)
    return stream(of: news, signals, endingBy: { _ in await observation.cancel() }, make)
  }

  /// Returns a stream of the cache whose elements `make` creates whenever there is a notification.
  func stream<Element: Sendable>(
    of news: News, _ signals: Signals,
    endingBy end: @escaping @Sendable (NormalizedCache<Schema>) async -> Void,
    _ make: @escaping @Sendable (isolated NormalizedCache<Schema>, News.Kind) -> Element
  ) -> AsyncStream<Element> {
    signals.continuation.onTermination = { [weak self] _ in
      Task { [weak self] in if let self { await end(self) } }
    }
    return AsyncStream { [weak self] in
      for await _ in signals.stream {
        if let element = await self?.element(from: news, make) { return element }
      }
      return nil
    }
  }

  private func element<Element: Sendable>(
    from news: News, _ make: @Sendable (isolated NormalizedCache<Schema>, News.Kind) -> Element
  ) -> Element? {
    news.take(on: self).map { make(self, $0) }
  }
}

/// Operations beyond reads and writes: prefetching, tagging, clearing.
extension NormalizedCache {
  /// Fetches a query that will be needed, unless the cache has it fresh; returns at once.
  ///
  /// It does not count as a read, and errors are not reported. The result is kept as long as that of any
  /// query that was read once.
  ///
  /// - Complexity: O(1).
  @inlinable public func prefetch(_ key: QueryKey) {
    perform { cache in
      cache.lookForLongerList(than: key)
      _ = cache.store.read(key, at: cache.clock.now, isRepeated: true)
      if cache.isFollowed { cache.record(.askedAgain(key)) }
    }
  }

  /// Protects a query's rows from eviction, if the policy retains tagged queries, or ends the protection.
  ///
  /// The tag outlasts observers and a restart. A query that is not cached is not tagged: read it first.
  ///
  /// - Complexity: O(rows).
  @inlinable public func tag(_ key: QueryKey, _ isTagged: Bool = true) {
    perform { cache in
      if cache.isFollowed { cache.record(.tagged(key, isTagged)) }
      cache.store.tag(key, isTagged, at: cache.clock.now)
    }
  }

  /// Removes all data of a library from memory and storage, for a user who logs out.
  ///
  /// Observed queries are empty at once and fetched again. Users' changes that the server has not confirmed
  /// remain and are sent: see ``outbox``. Calls that wait for a fetch get its answer, which is not kept. An
  /// unknown library is not an error.
  ///
  /// - Complexity: O(entities + queries).
  @inlinable public func clear(library: LibraryID) {
    if isFollowed {
      noteAnyChange(in: library)
      record(.cleared(library))
    }
    commit { store, now in store.clear(library, at: now) }
  }

  /// Evicts until memory use is at most a share of its current size; for a memory warning.
  ///
  /// Observed, tagged and pending entities remain, so more may be left. Evicted entities leave the storage
  /// too.
  ///
  /// - Complexity: O(evicted entities).
  /// - Precondition: `0 <= share <= 1`.
  @inlinable public func releaseMemory(toFraction share: Double) {
    precondition(0 <= share && share <= 1, "a share of \(share) is not between 0 and 1")
    if isFollowed { record(.released(toFraction: share)) }
    commit { store, now in store.releaseMemory(toFraction: share, at: now) }
  }
}
