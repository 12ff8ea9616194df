public import CacheModel

/// Two ways to observe a query: a callback during the commit, and a stream.
extension NormalizedCache {
  /// Observes a query by a callback during each commit.
  ///
  /// The query is fetched if necessary; if it already has a result, the callback is called before this method
  /// returns.
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
    // While callbacks run, the store is in the middle of a commit.
    if !isNotifying { lookForLongerList(than: key) }
    let number = observers.add(
      ObserverTable.Entry(identifier: identifier, callback: onChange, stream: stream), of: key)
    if store.members(of: key) != nil {
      // Writes of the first callback wait for its end too.
      let isNested = isNotifying
      isNotifying = true
      onChange(self, key)
      isNotifying = isNested
    }
    // Writes that wait already are carried out before the store knows the observer.
    let mayMissWrites = isNotifying && !postponed.isEmpty
    perform { cache in
      let now = cache.clock.now
      cache.store.addObserver(of: key, as: number, at: now)
      if mayMissWrites, cache.store.members(of: key) != nil { onChange(cache, key) }
      let read = cache.store.read(key, at: now)
      cache.noteRead(
        of: .query(key), read.outcome, isExpired: read.isExpired, isView: true, at: now)
    }
    return QueryObservation { [weak self] in await self?.removeObserver(identifier, of: key) }
  }

  /// Returns a stream of a query's snapshots.
  ///
  /// Snapshots are created on demand and show the query's current state, so a slow reader costs no memory,
  /// delays no one else, and gets the latest state. Ending the loop, or its task, ends the subscription; the
  /// stream ends with the cache.
  @inlinable public func updates(of key: QueryKey) -> AsyncStream<QuerySnapshot<Payload>> {
    updates(of: key) { cache, _ in cache.snapshot(of: key) }
  }

  /// Returns a query's current state.
  ///
  /// - Complexity: O(rows).
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

/// A subscription to a query.
///
/// It lasts until ``cancel()`` returns. Releasing this value does not end it; use an ``ObservationToken`` for
/// that.
public struct QueryObservation: Sendable {
  @usableFromInline let cancellation: @Sendable () async -> Void

  @inlinable init(cancellation: @escaping @Sendable () async -> Void) {
    self.cancellation = cancellation
  }

  /// Ends the subscription.
  ///
  /// No callback is called after it returns.
  public func cancel() async { await cancellation() }
}

/// A subscription that ends when the last reference to it is released.
///
/// ```swift
/// let token = ObservationToken(await cache.observe(open) { cache, key in count(cache.rows(of: key)) })
/// ```
public final class ObservationToken: Sendable {
  private let observation: QueryObservation

  /// Takes over a subscription.
  public init(_ observation: QueryObservation) { self.observation = observation }

  /// Ends the subscription.
  ///
  /// No callback is called after it returns. After the last reference was released, a callback in progress
  /// may still be called.
  public func cancel() async { await observation.cancel() }

  deinit {
    Task { [observation] in await observation.cancel() }
  }
}

extension NormalizedCache {
  /// The observers of each query.
  ///
  /// Each observed query has a number, which the store passes with a notification, so a commit needs no
  /// lookup by key.
  @usableFromInline struct ObserverTable: Sendable {
    /// The observers of one query, in the order of their registration; none if the number is free.
    @usableFromInline struct List: Sendable {
      @usableFromInline var key: QueryKey
      @usableFromInline var observers: [Entry] = []

      @inlinable init(key: QueryKey) { self.key = key }
    }

    @usableFromInline struct Entry: Sendable {
      @usableFromInline var identifier: UInt64
      @usableFromInline var callback: Observer
      /// `nil`: notified of commits only.
      @usableFromInline var stream: Stream?

      @inlinable init(identifier: UInt64, callback: @escaping Observer, stream: Stream?) {
        self.identifier = identifier
        self.callback = callback
        self.stream = stream
      }
    }

    /// The other callbacks of a stream, stored apart so that the commit callbacks are close together in
    /// memory.
    @usableFromInline final class Stream: Sendable {
      /// Called when a fetch of the query or a gap begins or ends; `nil`: not called.
      ///
      /// It must not write.
      @usableFromInline let onProgress: Observer?
      /// Called when the cache is gone and no more callbacks follow.
      @usableFromInline let onEnd: @Sendable () -> Void

      init(onProgress: Observer?, onEnd: @escaping @Sendable () -> Void) {
        self.onProgress = onProgress
        self.onEnd = onEnd
      }
    }

    @usableFromInline var lists: [List] = []
    @usableFromInline var numbers: [QueryKey: Int32] = [:]
    @usableFromInline var free: [Int32] = []

    @inlinable init() {}

    var count: Int { lists.reduce(0) { $0 + $1.observers.count } }

    @inlinable func isObserved(_ key: QueryKey) -> Bool { numbers[key] != nil }

    func count(of key: QueryKey) -> Int { self[key].count }

    @inlinable subscript(key: QueryKey) -> [Entry] {
      numbers[key].map { lists[Int($0)].observers } ?? []
    }

    @inlinable mutating func add(_ entry: Entry, of key: QueryKey) -> Int32 {
      let number = numbers[key] ?? makeNumber(for: key)
      lists[Int(number)].observers.append(entry)
      return number
    }

    @inlinable mutating func makeNumber(for key: QueryKey) -> Int32 {
      let number = free.popLast() ?? Int32(lists.count)
      if Int(number) == lists.count {
        lists.append(List(key: key))
      } else {
        lists[Int(number)].key = key
      }
      numbers[key] = number
      return number
    }

    /// - Returns: the removed observer; `nil` if there was none with this identifier.
    @inlinable mutating func remove(_ identifier: UInt64, of key: QueryKey) -> Entry? {
      guard let number = numbers[key],
        let index = lists[Int(number)].observers.firstIndex(where: { $0.identifier == identifier })
      else { return nil }
      let entry = lists[Int(number)].observers.remove(at: index)
      if lists[Int(number)].observers.isEmpty {
        lists[Int(number)].observers = []
        numbers[key] = nil
        free.append(number)
      }
      return entry
    }
  }
}
