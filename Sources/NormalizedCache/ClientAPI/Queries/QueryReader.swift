public import CacheModel
import Synchronization

/// Reads the rows of one query from any thread, and waits for the cache only after a change.
///
/// The reader observes its query. While nothing changes, ``rows()`` returns what it read last, without
/// a hop to the cache's actor; after a change the first call reads anew. What it returns is never older
/// than the last change of which observers had been told when the call began.
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
  @inlinable public convenience init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>
  ) async {
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
