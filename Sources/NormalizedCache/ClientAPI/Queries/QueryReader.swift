public import CacheModel
import Synchronization

/// Reads the rows of one query from any thread, and waits for the cache only after a change.
///
/// The reader observes its query. While nothing changes, ``rows()`` returns what it read last, without
/// a hop to the cache's actor; after a change the first call reads again. What it returns is never older
/// than the last change of which observers had been notified when the call began.
///
/// Readers share nothing: tasks that read at the same time each take one of their own. A read touches no
/// recency, since an observed query is kept anyway, and says nothing of freshness: ask
/// ``NormalizedCache/snapshot(of:)`` for that.
public final class QueryReader<Schema: CacheSchema>: Sendable {
  public typealias Row = VersionedEntity<Schema.Payload>

  @usableFromInline typealias Read = @Sendable (isolated NormalizedCache<Schema>) -> [Row]

  private let cache: NormalizedCache<Schema>
  private let read: Read
  private let last: Last
  private let observation: ObservationToken

  /// What was read last; `nil` after a change.
  private final class Last: Sendable {
    let state = Mutex<(rows: [Row]?, readings: Int)>((nil, 0))
  }

  /// Begins to observe a query, which is fetched if it must be.
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

  /// The rows in the server's order; those whose value is not in memory are left out.
  ///
  /// O(1) while nothing changes, else O(rows) on the cache's actor.
  public func rows() async -> [Row] {
    if let rows = last.state.withLock({ $0.rows }) { return rows }
    return await readAnew(in: cache)
  }

  /// On the actor, where no change can come between the reading and the note of it.
  private func readAnew(in cache: isolated NormalizedCache<Schema>) -> [Row] {
    let rows = read(cache)
    last.state.withLock {
      $0.rows = rows
      $0.readings += 1
    }
    return rows
  }

  /// How often it had to ask the cache.
  package var readings: Int { last.state.withLock { $0.readings } }

  /// Ends the observation, as letting go of the reader does; it then shows what it read last.
  public func stop() async { await observation.cancel() }
}

/// What a client shows of a query, as the cache has it at one moment.
@usableFromInline struct QueryState<Payload: Sendable>: Sendable {
  /// `nil` where only the rest may have changed, or there is no result.
  @usableFromInline var rows: RowUpdate<Payload>?
  @usableFromInline var standing: QueryStanding

  @inlinable init(rows: RowUpdate<Payload>?, standing: QueryStanding) {
    self.rows = rows
    self.standing = standing
  }
}

/// What is known of a query beside its rows.
@usableFromInline struct QueryStanding: Sendable {
  @usableFromInline var hasResult: Bool
  @usableFromInline var hasMore: Bool
  @usableFromInline var isFresh: Bool
  @usableFromInline var isFetching: Bool
  /// Why the last fetch failed; `nil` once one succeeds.
  @usableFromInline var error: (any Error)?
  /// Of two states of one cache, the later has the greater one.
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
  /// Watches a query, its fetches and its gaps.
  ///
  /// Each signal says that there is news to take, with ``state(of:by:since:)``. The signals end with the
  /// cache; letting go of them ends the subscription.
  func follow(_ key: QueryKey) -> (news: News, signals: AsyncStream<Void>) {
    let (news, signals) = News.make()
    let observation = observe(key, with: news, followsProgress: true)
    signals.continuation.onTermination = { _ in Task { await observation.cancel() } }
    return (news, signals.stream)
  }

  /// The query as it is now.
  ///
  /// O(rows) with rows, O(1) without.
  ///
  /// - Returns: `nil` where there is no news.
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

/// The rows of a query read as an app's values, and marks that show which of them are still as they were.
@usableFromInline package struct ReadRows<Value: Sendable>: Sendable {
  @usableFromInline package var values: [Value] = []
  /// One for each value.
  @usableFromInline package var marks: [RowMark] = []
  /// Whether every row of the query is there.
  @usableFromInline package var isComplete = false
  /// Why the first row was left out that could not be read.
  @usableFromInline var error: (any Error)?

  /// None: the next update brings every row.
  @inlinable package init() {}

  /// Reads what is new, and leaves a row out that cannot be read: it is new the next time too.
  ///
  /// O(rows), of which those that stay cost a copy of the value.
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

/// A state with its rows read as an app's values.
///
/// Reading happens on no actor, so that it keeps neither the cache nor the screen waiting.
@usableFromInline struct ReadQuery<Value: Sendable>: Sendable {
  /// `nil`: as before.
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
