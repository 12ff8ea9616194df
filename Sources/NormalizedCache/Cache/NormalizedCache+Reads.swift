public import CacheModel

extension NormalizedCache {
  /// Returns the rows of a query in the server's order: from the cache if it is fresh and complete, or
  /// expired within ``Freshness/staleWhileRevalidate``; otherwise from the server.
  ///
  /// Concurrent calls share one fetch.
  ///
  /// - Complexity: O(rows).
  /// - Throws: the source's error, which reaches every waiting call and is not cached, or
  ///   `CancellationError`, which ends this call alone.
  @inlinable public func query(_ key: QueryKey) async throws -> [VersionedEntity<Payload>] {
    switch serve(key) {
    case .now(let rows): rows
    case .after(let fetch): try await wait(for: fetch)
    }
  }

  /// The result of a read: its rows, or a fetch to wait for.
  @usableFromInline package enum Serving: Sendable {
    case now([VersionedEntity<Payload>])
    case after(FetchID)
  }

  /// Reads a query without waiting.
  @inlinable package func serve(_ key: QueryKey, isRepeated: Bool = false) -> Serving {
    lookForLongerList(than: key)
    let now = clock.now
    let read = store.read(key, at: now, isRepeated: isRepeated)
    if !isRepeated {
      noteRead(of: .query(key), read.outcome, isExpired: read.isExpired, at: now)
    } else if isFollowed {
      record(.askedAgain(key))
    }
    carryOut()
    guard read.outcome != .hit, let fetch = read.fetch else { return .now(rows(of: key)) }
    return .after(fetch)
  }

  /// Returns the rows of a query that are in memory now, without waiting; for observers' callbacks.
  ///
  /// - Complexity: O(rows).
  @inlinable public func rows(of key: QueryKey) -> [VersionedEntity<Payload>] {
    store.residentRows(of: key)?.rows ?? []
  }

  /// Transforms the rows of a query that are in memory now, without copying whole values.
  ///
  /// A value with a dozen strings has a dozen reference counts, which other processors may have in their
  /// caches. An app that shows two of twenty fields copies only those, takes a fraction of the time, and
  /// occupies the actor for less.
  ///
  /// - Complexity: O(rows).
  ///
  /// ```swift
  /// let names = await cache.mapRows(of: photos) { _, _, file in file.name }
  /// ```
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - transform: makes a row of an entity's key, version and value; called on the actor.
  /// - Returns: the rows in the server's order, without those whose value is not in memory.
  /// - Throws: the error of `transform`.
  @inlinable public func mapRows<Row: Sendable, Failure: Error>(
    of key: QueryKey,
    _ transform: @Sendable (EntityKey, Version, Payload) throws(Failure) -> Row
  ) throws(Failure) -> [Row] {
    try store.mapRows(of: key, transform)
  }

  /// Returns an entity as the cache has it now; `nil` if it is not in memory.
  ///
  /// - Complexity: O(1).
  @inlinable public func entity(_ key: EntityKey) -> VersionedEntity<Payload>? { store.peek(key) }

  /// Returns an entity: from the cache if it is fresh, otherwise from the server; `nil` if the server has
  /// none.
  ///
  /// - Throws: as ``query(_:)``.
  @inlinable public func fetchEntity(
    _ key: EntityKey, library: LibraryID
  ) async throws -> VersionedEntity<Payload>? {
    switch serve(key, library: library) {
    case .now(let rows): rows.first
    case .after(let fetch): try await wait(for: fetch).first
    }
  }

  /// Reads an entity without waiting.
  @inlinable package func serve(_ key: EntityKey, library: LibraryID) -> Serving {
    let now = clock.now
    let read = store.readEntity(key, library: library, at: now)
    noteRead(of: .entity(key), read.outcome, isExpired: read.isExpired, at: now)
    carryOut()
    guard read.outcome != .hit, let fetch = read.fetch else {
      return .now(read.entity.map { [$0] } ?? [])
    }
    return .after(fetch)
  }

  /// Answers a query that is not cached from a longer list of the same rows, if the schema knows one.
  @inlinable func lookForLongerList(than key: QueryKey) {
    guard Schema.answersFromLongerLists, store.members(of: key) == nil else { return }
    guard let longer = store.takeFromLongerList(key, at: clock.now), isFollowed else { return }
    recordTaking(of: key, from: longer)
  }

  /// Gives a query the first rows of a longer one; for measurements.
  package func take(_ key: QueryKey, from longer: QueryKey) {
    perform { cache in cache.store.take(key, from: longer, at: cache.clock.now) }
  }

  @inlinable func noteRead(
    of target: FetchTarget, _ outcome: ReadOutcome, isExpired: Bool, isView: Bool = false,
    at now: Instant
  ) {
    reads.note(outcome, of: target, isExpired: isExpired)
    guard isFollowed else { return }
    recordRead(of: target, outcome, isView: isView, at: now)
    instrument?.didRead(InstrumentedRead(target: target, outcome: outcome, isExpired: isExpired))
  }

  @inlinable func wait(for fetch: FetchID) async throws -> [VersionedEntity<Payload>] {
    let identifier = nextIdentifier()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        waiters[fetch, default: []].append(
          Waiter(identifier: identifier, continuation: continuation))
      }
    } onCancel: {
      Task { await self.abandon(identifier, fetch: fetch) }
    }
  }

  /// Removes one waiter; the fetch and the other waiters continue.
  @inlinable func abandon(_ identifier: UInt64, fetch: FetchID) {
    guard let index = waiters[fetch]?.firstIndex(where: { $0.identifier == identifier }) else {
      return
    }
    let waiter = waiters[fetch]?.remove(at: index)
    waiter?.continuation.resume(throwing: CancellationError())
  }

  @inlinable func nextIdentifier() -> UInt64 {
    lastIdentifier += 1
    return lastIdentifier
  }
}

/// The state of a query at one commit.
public struct QuerySnapshot<Payload: Sendable>: Sendable {
  public var key: QueryKey
  /// The rows in the server's order, without those whose value is not in memory; then `isComplete` is false.
  public var rows: [VersionedEntity<Payload>]
  /// Whether every row is included.
  public var isComplete: Bool
  /// Whether the rows are up to date as far as the cache knows.
  public var isFresh: Bool
  /// Whether there are rows beyond the query's limit, at the server or displaced by a pending change.
  public var hasMore: Bool

  @inlinable init(
    key: QueryKey, rows: [VersionedEntity<Payload>], isComplete: Bool, isFresh: Bool, hasMore: Bool
  ) {
    self.key = key
    self.rows = rows
    self.isComplete = isComplete
    self.isFresh = isFresh
    self.hasMore = hasMore
  }
}

/// How a cache has answered its reads since it was created, by method.
///
/// A read is a call of ``NormalizedCache/query(_:)`` or ``NormalizedCache/fetchEntity(_:library:)``, or the
/// beginning of an observation. Calls of `rows(of:)`, `entity(_:)` and `snapshot(of:)` do not count.
public struct ReadStatistics: Hashable, Sendable {
  /// Reads of queries.
  public private(set) var methods: [QueryMethod: ReadCounts] = [:]
  /// Reads of single entities.
  public private(set) var entities = ReadCounts()

  @usableFromInline init() {}

  /// All reads.
  ///
  /// - Complexity: O(methods).
  public var total: ReadCounts { methods.values.reduce(entities, +) }

  @usableFromInline mutating func note(
    _ outcome: ReadOutcome, of target: FetchTarget, isExpired: Bool
  ) {
    switch target {
    case .query(let key): methods[key.method, default: ReadCounts()].note(outcome, isExpired)
    case .entity: entities.note(outcome, isExpired)
    }
  }

  @usableFromInline mutating func noteFailures(_ count: Int, of target: FetchTarget) {
    switch target {
    case .query(let key): methods[key.method, default: ReadCounts()].failures += count
    case .entity: entities.failures += count
    }
  }
}

/// The number of reads by outcome.
public struct ReadCounts: Hashable, Sendable {
  /// Indexed by the outcome's raw value.
  private var counts = [Int](repeating: 0, count: ReadOutcome.allCases.count)
  /// Hits older than their time to live; they are counted as hits.
  public private(set) var expiredHits = 0
  /// Reads that waited for a fetch which failed; they are counted as misses.
  public internal(set) var failures = 0

  package init() {}

  /// The number of reads with an outcome.
  public subscript(outcome: ReadOutcome) -> Int { counts[Int(outcome.rawValue)] }

  /// The number of all reads.
  public var reads: Int { counts.reduce(0, +) }

  /// The number of reads served without waiting.
  public var hits: Int { self[.hit] }

  /// The share of hits among reads, 0 to 1; `nil` without reads.
  public var hitRatio: Double? { reads == 0 ? nil : Double(hits) / Double(reads) }

  package mutating func note(_ outcome: ReadOutcome, _ isExpired: Bool) {
    counts[Int(outcome.rawValue)] += 1
    if isExpired { expiredHits += 1 }
  }

  package static func + (lhs: ReadCounts, rhs: ReadCounts) -> ReadCounts {
    var sum = lhs
    for index in sum.counts.indices { sum.counts[index] += rhs.counts[index] }
    sum.expiredHits += rhs.expiredHits
    sum.failures += rhs.failures
    return sum
  }
}
