public import CacheModel
import Synchronization

/// Reads the rows of one query from any thread, and waits for the cache only after a change.
///
/// The reader observes its query. Until the query changes, ``rows()`` returns the rows of the last read,
/// without a hop to the cache's actor; the first call after a change reads again. The rows are never older
/// than the last change of which observers had been notified when the call began.
///
/// Readers share nothing: give each concurrent task its own. A read does not count as a use, since an
/// observed query is retained anyway, and does not report freshness: use ``NormalizedCache/snapshot(of:)``
/// for that.
public final class QueryReader<Schema: CacheSchema>: Sendable {
  public typealias Row = VersionedEntity<Schema.Payload>

  @usableFromInline typealias Read = @Sendable (isolated NormalizedCache<Schema>) -> [Row]

  private let cache: NormalizedCache<Schema>
  private let read: Read
  private let last: Last
  private let observation: ObservationToken

  /// The rows of the last read; `nil` after a change.
  private final class Last: Sendable {
    let state = Mutex<(rows: [Row]?, readings: Int)>((nil, 0))
  }

  /// Begins to observe a query, and fetches it if necessary.
  @inlinable public convenience init(_ key: QueryKey, in cache: NormalizedCache<Schema>) async {
    await self.init(key, in: cache) { $0.snapshot(of: key).rows }
  }

  @usableFromInline init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, reading read: @escaping Read
  ) async {
    self.cache = cache
    self.read = read
    let last = Last()
    self.last = last
    observation = ObservationToken(
      await cache.observe(key) { _, _ in last.state.withLock { $0.rows = nil } })
  }

  /// Returns the rows in the server's order, without those whose value is not in memory.
  ///
  /// - Complexity: O(1) without a change, otherwise O(rows) on the cache's actor.
  public func rows() async -> [Row] {
    if let rows = last.state.withLock({ $0.rows }) { return rows }
    return await readAnew(in: cache)
  }

  /// Reads on the actor, so that no change can come between the read and storing its result.
  private func readAnew(in cache: isolated NormalizedCache<Schema>) -> [Row] {
    let rows = read(cache)
    last.state.withLock {
      $0.rows = rows
      $0.readings += 1
    }
    return rows
  }

  /// The number of reads from the cache.
  package var readings: Int { last.state.withLock { $0.readings } }

  /// Ends the observation, as releasing the reader does; it then returns the rows of the last read.
  public func stop() async { await observation.cancel() }
}

@usableFromInline struct QueryState<Payload: Sendable>: Sendable {
  /// The rows; `nil` if only other state may have changed, or there is no result.
  @usableFromInline var rows: RowUpdate<Payload>?
  @usableFromInline var standing: QueryStanding

  @inlinable init(rows: RowUpdate<Payload>?, standing: QueryStanding) {
    self.rows = rows
    self.standing = standing
  }
}

/// The state of a query without its rows.
@usableFromInline struct QueryStanding: Sendable {
  @usableFromInline var hasResult: Bool
  @usableFromInline var hasMore: Bool
  @usableFromInline var isFresh: Bool
  @usableFromInline var isFetching: Bool
  /// The error of the last fetch; `nil` once one succeeds.
  @usableFromInline var error: (any Error)?
  /// The order of states of one cache: a later one has a greater number.
  @usableFromInline var order: UInt64

  @inlinable init(
    hasResult: Bool, hasMore: Bool, isFresh: Bool, isFetching: Bool, error: (any Error)?,
    order: UInt64
  ) {
    self.hasResult = hasResult
    self.hasMore = hasMore
    self.isFresh = isFresh
    self.isFetching = isFetching
    self.error = error
    self.order = order
  }
}

extension NormalizedCache {
  /// Observes a query, its fetches and its gaps.
  ///
  /// Each signal means that ``state(of:by:since:)`` has news. The signals end with the cache; releasing them
  /// ends the subscription.
  func follow(_ key: QueryKey) -> (news: News, signals: AsyncStream<Void>) {
    let (news, signals) = News.make()
    let observation = observe(key, with: news, followsProgress: true)
    signals.continuation.onTermination = { _ in Task { await observation.cancel() } }
    return (news, signals.stream)
  }

  /// Returns the query's current state; `nil` without news.
  ///
  /// - Complexity: O(rows) with rows, O(1) without.
  @inlinable func state(
    of key: QueryKey, by news: News?, since known: [RowMark]
  ) -> QueryState<Payload>? {
    var kind = News.Kind.rows
    if let news {
      guard let taken = news.take(on: self) else { return nil }
      kind = taken
    }
    let standing = QueryStanding(
      hasResult: store.members(of: key) != nil, hasMore: store.showsMore(key),
      isFresh: store.isFresh(key, at: clock.now),
      isFetching: store.fetch(of: .query(key)) != nil, error: fetchErrors[key],
      order: nextIdentifier())
    return QueryState(
      rows: kind == .rows ? store.rowUpdate(of: key, since: known) : nil, standing: standing)
  }
}

/// The rows of a query as an app's values, with marks that show which rows are unchanged.
@usableFromInline package struct ReadRows<Value: Sendable>: Sendable {
  @usableFromInline package var values: [Value] = []
  /// One mark per value.
  @usableFromInline package var marks: [RowMark] = []
  /// Whether every row of the query is included.
  @usableFromInline package var isComplete = false
  /// The error of the first row that could not be read.
  @usableFromInline var error: (any Error)?

  /// No rows: the next update brings every row.
  @inlinable package init() {}

  /// Reads new rows, and leaves out rows that cannot be read; they count as new the next time too.
  ///
  /// - Complexity: O(rows); an unchanged row costs a copy of its value.
  @inlinable package init<Payload: Sendable>(
    _ update: RowUpdate<Payload>, since former: Self,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    isComplete = update.isComplete
    for run in update.runs {
      switch run {
      case .kept(let places):
        values += former.values[places]
        marks += former.marks[places]
      case .new(let places):
        for place in places { take(update.new[place], update.newMarks[place], reading: read) }
      }
    }
  }

  @inlinable mutating func take<Payload: Sendable>(
    _ row: VersionedEntity<Payload>, _ mark: RowMark,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    do {
      values.append(try read(row))
      marks.append(mark)
    } catch {
      isComplete = false
      if self.error == nil { self.error = error }
    }
  }
}

/// A state whose rows are read as an app's values.
///
/// Reading runs on no actor, so that neither the cache nor the screen waits.
@usableFromInline struct ReadQuery<Value: Sendable>: Sendable {
  /// `nil`: unchanged.
  @usableFromInline var rows: ReadRows<Value>?
  @usableFromInline var standing: QueryStanding

  @inlinable init<Payload: Sendable>(
    _ state: QueryState<Payload>, since former: ReadRows<Value>,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    rows = state.rows.map { ReadRows($0, since: former, reading: read) }
    standing = state.standing
  }
}
