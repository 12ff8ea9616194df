public import CacheModel

extension NormalizedCache {
  /// The rows of a query, in the server's order: from the cache where it is fresh and complete, or
  /// has expired within the window of ``Freshness/staleWhileRevalidate``; else from the server.
  ///
  /// Concurrent calls share one fetch. O(rows).
  ///
  /// - Throws: the source's error, which reaches every waiting call and is not cached, or
  ///   `CancellationError`, which ends this call alone.
  @inlinable public func query(_ key: QueryKey) async throws -> [VersionedEntity<Payload>] {
    switch serve(key) {
    case .now(let rows): rows
    case .after(let fetch): try await wait(for: fetch)
    }
  }

  /// What a read gets: its rows, or a fetch to wait for.
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

  /// The rows of a query that are resident now, without waiting; for observers' callbacks.
  ///
  /// O(rows).
  @inlinable public func rows(of key: QueryKey) -> [VersionedEntity<Payload>] {
    store.residentRows(of: key)?.rows ?? []
  }

  /// The same rows, each as `transform` makes it where it lies: an app that shows two of twenty fields
  /// copies two.
  ///
  /// A value with a dozen texts has a dozen references to count, and each count is taken from the
  /// processor that had it last; so this takes a fraction of the time, and holds the actor for less.
  /// O(rows).
  ///
  /// ```swift
  /// let names = await cache.mapRows(of: photos) { _, _, file in file.name }
  /// ```
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - transform: makes a row of an entity's key, version and value; called on the actor.
  /// - Returns: the rows in the server's order, those without a value left out.
  /// - Throws: what `transform` throws.
  @inlinable public func mapRows<Row: Sendable, Failure: Error>(
    of key: QueryKey,
    _ transform: @Sendable (EntityKey, Version, Payload) throws(Failure) -> Row
  ) throws(Failure) -> [Row] {
    try store.mapRows(of: key, transform)
  }

  /// An entity as the cache has it now; `nil` where it is not resident.
  ///
  /// O(1).
  @inlinable public func entity(_ key: EntityKey) -> VersionedEntity<Payload>? { store.peek(key) }

  /// An entity: from the cache where it is fresh, else from the server; `nil` where the server has
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

  /// Answers a query that the cache does not have from one that lists more of the same, where the schema
  /// knows of such queries.
  @inlinable func lookForLongerList(than key: QueryKey) {
    guard Schema.answersFromLongerLists, store.members(of: key) == nil else { return }
    guard let longer = store.takeFromLongerList(key, at: clock.now), isFollowed else { return }
    recordTaking(of: key, from: longer)
  }

  /// Gives a query the first rows of another that lists the same; for measurements.
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

  /// One waiter less; the fetch and the others go on.
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

/// What a query showed at one commit.
public struct QuerySnapshot<Payload: Sendable>: Sendable {
  public var key: QueryKey
  /// The rows in the server's order; those whose value is not resident are left out, and
  /// `isComplete` is false.
  public var rows: [VersionedEntity<Payload>]
  /// Whether every row is there.
  public var isComplete: Bool
  /// Whether the cache believes the rows to be the truth.
  public var isFresh: Bool
  /// Whether there are rows beyond the query's limit, at the server or pushed there by a pending change.
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

/// How a cache has answered its reads since it was made, for each method.
///
/// A read is a call of ``NormalizedCache/query(_:)`` or ``NormalizedCache/fetchEntity(_:library:)``, or the
/// beginning of an observation; looking (`rows(of:)`, `entity(_:)`, `snapshot(of:)`) is none.
public struct ReadStatistics: Hashable, Sendable {
  /// Reads of queries.
  public private(set) var methods: [QueryMethod: ReadCounts] = [:]
  /// Reads of single entities.
  public private(set) var entities = ReadCounts()

  @usableFromInline init() {}

  /// All reads; O(methods).
  public var total: ReadCounts { methods.values.reduce(entities, +) }

  /// O(1).
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

/// Reads by how they were answered.
public struct ReadCounts: Hashable, Sendable {
  /// By the raw value of the outcome.
  private var counts = [Int](repeating: 0, count: ReadOutcome.allCases.count)
  /// Hits that had outlived their time to live; they are among the hits.
  public private(set) var expiredHits = 0
  /// Reads that waited for a fetch, and got its error; they are among the misses.
  public internal(set) var failures = 0

  package init() {}

  /// How many were answered so.
  public subscript(outcome: ReadOutcome) -> Int { counts[Int(outcome.rawValue)] }

  /// The sum of all outcomes.
  public var reads: Int { counts.reduce(0, +) }

  /// Those served without waiting.
  public var hits: Int { self[.hit] }

  /// The share of hits among reads; `nil` where there are none.
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
