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

/// A subscription to a query.
///
/// It lasts until ``cancel()`` returns; letting go of this value does not end it, which is what an
/// ``ObservationToken`` is for.
public struct QueryObservation: Sendable {
  @usableFromInline let cancellation: @Sendable () async -> Void

  @inlinable init(cancellation: @escaping @Sendable () async -> Void) {
    self.cancellation = cancellation
  }

  /// Ends the subscription.
  ///
  /// After it returns, no callback comes.
  public func cancel() async { await cancellation() }
}

/// A subscription that ends when the last reference to it goes.
///
/// ```swift
/// let token = ObservationToken(await cache.observe(open) { cache, key in count(cache.rows(of: key)) })
/// ```
public final class ObservationToken: Sendable {
  private let observation: QueryObservation

  /// Takes a subscription over.
  public init(_ observation: QueryObservation) { self.observation = observation }

  /// Ends the subscription.
  ///
  /// After it returns, no callback comes; after the last reference has gone, one that is under way may.
  public func cancel() async { await observation.cancel() }

  deinit {
    Task { [observation] in await observation.cancel() }
  }
}

extension NormalizedCache {
  /// Who observes which query.
  ///
  /// Each observed query has a number, which the store hands back with a notification: so a commit looks
  /// no key up.
  @usableFromInline struct ObserverTable: Sendable {
    /// The observers of one query, in the order in which they came; none where the number is free.
    @usableFromInline struct List: Sendable {
      @usableFromInline var key: QueryKey
      @usableFromInline var observers: [Entry] = []

      @inlinable init(key: QueryKey) { self.key = key }
    }

    @usableFromInline struct Entry: Sendable {
      @usableFromInline var identifier: UInt64
      @usableFromInline var callback: Observer
      /// `nil`: it wants to know of commits, and of nothing else.
      @usableFromInline var stream: Stream?

      @inlinable init(identifier: UInt64, callback: @escaping Observer, stream: Stream?) {
        self.identifier = identifier
        self.callback = callback
        self.stream = stream
      }
    }

    /// What a stream receives besides: apart, so that callbacks lie close together.
    @usableFromInline final class Stream: Sendable {
      /// Called when a fetch of the query begins or ends, or a gap does; `nil`: of no interest.
      ///
      /// It must not write.
      @usableFromInline let onProgress: Observer?
      /// Called when no more callbacks will come because the cache is gone.
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

    /// How many observers there are.
    var count: Int { lists.reduce(0) { $0 + $1.observers.count } }

    @inlinable func isObserved(_ key: QueryKey) -> Bool { numbers[key] != nil }

    func count(of key: QueryKey) -> Int { self[key].count }

    @inlinable subscript(key: QueryKey) -> [Entry] {
      numbers[key].map { lists[Int($0)].observers } ?? []
    }

    /// Adds an observer.
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

    /// - Returns: the observer that had this identifier; `nil`: there is none.
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
