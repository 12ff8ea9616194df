public import CacheModel

/// Streams of what a query shows, each element made when its reader comes for it.
extension NormalizedCache {
  /// Whether there is something for a stream's reader to take.
  ///
  /// Commits only raise flags, so a reader that has stalled costs them no more than that.
  @usableFromInline final class News: Sendable {
    @usableFromInline enum Kind: Sendable {
      /// What the query lists.
      case rows
      /// What is known of it otherwise: whether it is fetched, suspect, failed.
      case progress
    }

    /// Touched on the cache's actor alone.
    @usableFromInline nonisolated(unsafe) var pending: Kind?
    // Not the stream of signals itself, which ends the subscription when its reader lets it go.
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    /// News, and the signals that there is some.
    static func make() -> (News, Signals) {
      let (signals, continuation) = AsyncStream<Void>.makeStream(
        bufferingPolicy: .bufferingNewest(1))
      return (News(continuation), Signals(stream: signals, continuation: continuation))
    }

    /// No more will come.
    func end() { continuation.finish() }

    func arrive(_ kind: Kind, on cache: isolated NormalizedCache<Schema>) {
      if pending == nil { continuation.yield() }
      if pending != .rows { pending = kind }
    }

    /// What there was; from here on there is nothing.
    @inlinable func take(on cache: isolated NormalizedCache<Schema>) -> Kind? {
      defer { pending = nil }
      return pending
    }
  }

  struct Signals {
    var stream: AsyncStream<Void>
    var continuation: AsyncStream<Void>.Continuation
  }

  /// Observes a query by news.
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - news: where they arrive; it ends with the cache.
  ///   - followsProgress: whether fetches and gaps are news as well as commits, and there is some at once,
  ///     whether the query has a result or not.
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

  /// Watches a query as a stream of what `make` makes of it when the reader comes.
  @usableFromInline func updates<Element: Sendable>(
    of key: QueryKey,
    _ make: @escaping @Sendable (isolated NormalizedCache<Schema>, News.Kind) -> Element
  ) -> AsyncStream<Element> {
    let (news, signals) = News.make()
    let observation = observe(key, with: news, followsProgress: false)
    return stream(of: news, signals, endingBy: { _ in await observation.cancel() }, make)
  }

  /// A stream of what `make` makes of the cache whenever there is news.
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
