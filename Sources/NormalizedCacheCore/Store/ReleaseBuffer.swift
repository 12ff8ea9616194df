public import CacheModel
public import EvictionPolicies

/// The release buffer: unobserved queries that still count as observed, first released first.
///
/// It is bounded in number and age, and empty if the policy has none.
@usableFromInline struct ReleasedQueries: ~Copyable {
  @usableFromInline var list = SlotList()
  /// The maximum number of queries; 0: there is no buffer.
  @usableFromInline let limit: Int
  /// The maximum time in the buffer, in nanoseconds; `Int64.max`: unlimited.
  @usableFromInline let age: Int64
  /// The effect of an unobserved read, if there is a buffer.
  @usableFromInline let reads: ReleaseBuffer.Reads
  /// Whether a query without space may wait until the next one leaves.
  @usableFromInline var mayCollect = false

  @inlinable init(_ buffer: ReleaseBuffer?) {
    let own = buffer.flatMap { $0.isNone ? nil : $0 }
    limit = own.map { $0.queries ?? .max } ?? 0
    age = buffer?.age?.wholeNanoseconds ?? .max
    reads = own?.reads ?? .ignored
  }

  @inlinable mutating func reserve(queries: Int) { list.reserve(slots: queries) }

  @inlinable func contains(_ query: Int32) -> Bool { limit > 0 && list.contains(query) }

  /// Whether another query fits without removing one.
  @inlinable var hasRoom: Bool { list.count < limit }

  /// Adds a query as the last released; one that is already in the buffer begins again.
  @inlinable mutating func add(_ query: Int32) {
    if list.contains(query) { list.moveToYoung(query) } else { list.pushYoung(query) }
  }

  @inlinable mutating func remove(_ query: Int32) {
    if contains(query) { list.remove(query) }
  }

  /// The next query to remove, if the limit is exceeded.
  @inlinable var overflow: Int32? { list.count > limit ? list.oldest : nil }

  /// Returns when a query released at an instant leaves; `nil`: not by age.
  @inlinable func end(ofReleasedAt instant: Int64) -> Instant? {
    guard age < .max else { return nil }
    let end = Instant(nanoseconds: instant).advanced(byNanoseconds: age)
    return end == .distantFuture ? nil : end
  }
}

/// The entities released by a commit, which may be evicted from then on.
///
/// Processed only at its end: an entity released by one list may be retained by another in the same commit,
/// and the server's values that end an entity's edits must be compared with the cached version.
@usableFromInline struct ReleasedEntities: Sendable {
  @usableFromInline private(set) var isAny = false
  /// Entities whose last pending edit ended.
  @usableFromInline private(set) var edited: [Slot] = []

  @usableFromInline init() {}

  @usableFromInline mutating func note() { isAny = true }

  @usableFromInline mutating func noteEdited(_ slot: Slot) { edited.append(slot) }

  /// Returns and clears the entities without pending edits; there must be some.
  @usableFromInline mutating func takeEdited() -> [Slot] {
    isAny = true
    var taken: [Slot] = []
    swap(&taken, &edited)
    return taken
  }

  /// Returns whether anything was released, and clears it.
  @inlinable mutating func take() -> Bool {
    guard isAny else { return false }
    forget()
    return true
  }

  @usableFromInline mutating func forget() { isAny = false }
}

/// Queries that lost their last observer, and may be observed again soon.
extension CacheStore {
  /// Returns whether a query retains its rows as an observed one does.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || buffer.contains(query) || queries[query].awaitsCollection
      || queries[query].isAwaitedByReader
  }

  /// Adds a query that has just lost its last observer to the buffer, if there is one; one that is in it
  /// begins again.
  ///
  /// Amortised O(1), plus the release of those that it displaces.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard buffer.limit > 0, queries[query].plan.isCacheable else { return }
    queries[query].releasedAt = now.nanoseconds
    queries[query].awaitsCollection = false
    buffer.add(query)
    if planted(.releaseBufferUnbounded) { return }
    while let oldest = buffer.overflow { leaveReleaseBuffer(oldest) }
  }

  // MARK: Reads without an observer

  @inlinable mutating func noteUnobservedRead(of query: Int32, awaits fetch: FetchID?) {
    guard !queries[query].isObserved else {
      if fetch != nil { queries[query].readersBesideObservers += 1 }
      return
    }
    guard fetch == nil else {
      queries[query].isAwaitedByReader = true
      if buffer.reads == .asObserved { buffer.remove(query) }
      return
    }
    guard buffer.reads == .asObserved else { return }
    enterReleaseBuffer(query)
    updateRetention(of: query)
  }

  /// Adds a query whose reader has been answered to the buffer, if it is unobserved.
  @inlinable mutating func settleUnobservedRead(of query: Int32) {
    guard queries[query].isAwaitedByReader else { return }
    queries[query].isAwaitedByReader = false
    guard !queries[query].isObserved else { return }
    if buffer.reads == .asObserved {
      enterReleaseBuffer(query)
    } else if buffer.reads == .whileRoom, !buffer.contains(query) {
      if buffer.hasRoom { enterReleaseBuffer(query) } else { awaitCollection(query) }
    }
    updateRetention(of: query)
  }

  @inlinable mutating func awaitCollection(_ query: Int32) {
    guard queries[query].hasResult, queries[query].plan.isCacheable else { return }
    queries[query].awaitsCollection = true
    buffer.mayCollect = true
  }

  /// Cancels a request that only a query's observers waited for, if requests belong to them.
  ///
  /// The query has just lost its last observer.
  @inlinable mutating func takeBackRequest(of query: Int32) {
    guard buffer.reads == .whileRoom, queries[query].fetch != nil,
      !queries[query].isAwaitedByReader, queries[query].readersBesideObservers <= 0
    else { return }
    fetches.disown(.query(queries[query].key))
    queries[query].fetch = nil
  }

  // MARK: Leaving

  /// Releases a query in the buffer, and those that did not fit in it; O(queries) if there are any.
  @inlinable mutating func leaveReleaseBuffer(_ query: Int32) {
    buffer.remove(query)
    dropIfUnwanted(query)
    guard buffer.mayCollect else { return }
    buffer.mayCollect = false
    for query in queries.indices where queries[query].awaitsCollection {
      queries[query].awaitsCollection = false
      dropIfUnwanted(query)
    }
  }

  /// Releases the queries that have reached the buffer's maximum age.
  @inlinable mutating func emptyReleaseBuffer() {
    while let deadline = releaseDeadline, deadline <= now, let oldest = buffer.list.oldest {
      leaveReleaseBuffer(oldest)
    }
  }

  /// The time of the next release; `nil`: not by age.
  @inlinable var releaseDeadline: Instant? {
    buffer.list.oldest.flatMap { buffer.end(ofReleasedAt: queries[$0].releasedAt) }
  }
}
