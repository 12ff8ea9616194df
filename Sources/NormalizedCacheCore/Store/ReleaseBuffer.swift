public import CacheModel
public import EvictionPolicies

/// The release buffer: unobserved queries that still count as observed, first released first.
///
/// It is bounded in number and in age; where the composition has none, it stays empty.
@usableFromInline struct ReleasedQueries: ~Copyable {
  @usableFromInline var list = SlotList()
  /// The most queries; 0: there is no buffer.
  @usableFromInline let limit: Int
  /// For how long it holds a query, in nanoseconds; `Int64.max`: for any time.
  @usableFromInline let age: Int64
  /// What an unobserved read does to it, where there is one.
  @usableFromInline let reads: ReleaseBuffer.Reads
  /// Whether a query may wait for the next one to leave, since it found no room.
  @usableFromInline var mayCollect = false

  @inlinable init(_ buffer: ReleaseBuffer?) {
    let own = buffer.flatMap { $0.isNone ? nil : $0 }
    limit = own.map { $0.queries ?? .max } ?? 0
    age = buffer?.age?.wholeNanoseconds ?? .max
    reads = own?.reads ?? .ignored
  }

  /// Makes room for so many queries.
  @inlinable mutating func reserve(queries: Int) { list.reserve(slots: queries) }

  @inlinable func contains(_ query: Int32) -> Bool { limit > 0 && list.contains(query) }

  /// Whether another query can enter without pushing one out.
  @inlinable var hasRoom: Bool { list.count < limit }

  /// Adds a query, as the last released; one that is in it begins again.
  @inlinable mutating func add(_ query: Int32) {
    if list.contains(query) { list.moveToYoung(query) } else { list.pushYoung(query) }
  }

  /// Takes a query out, if it is in.
  @inlinable mutating func remove(_ query: Int32) {
    if contains(query) { list.remove(query) }
  }

  /// The query that goes next, where there are more than the limit.
  @inlinable var overflow: Int32? { list.count > limit ? list.oldest : nil }

  /// When one that was released at an instant leaves; `nil`: not by age.
  @inlinable func end(ofReleasedAt instant: Int64) -> Instant? {
    guard age < .max else { return nil }
    let end = Instant(nanoseconds: instant).advanced(byNanoseconds: age)
    return end == .distantFuture ? nil : end
  }
}

/// What a commit lets go of that may be evicted from then on.
///
/// At its end only: what one list lets go of, another may take up in the same commit, and what ends
/// the edits of an entity brings the server's values, which must find how new those are that the cache
/// has.
@usableFromInline struct ReleasedEntities: Sendable {
  /// Whether anything was released.
  @usableFromInline private(set) var isAny = false
  /// Entities whose last pending edit ended.
  @usableFromInline private(set) var edited: [Slot] = []

  @usableFromInline init() {}

  @usableFromInline mutating func note() { isAny = true }

  @usableFromInline mutating func noteEdited(_ slot: Slot) { edited.append(slot) }

  /// Takes the entities that have no pending edits any longer; there are such.
  @usableFromInline mutating func takeEdited() -> [Slot] {
    isAny = true
    var taken: [Slot] = []
    swap(&taken, &edited)
    return taken
  }

  /// Whether anything was released; from here on nothing was.
  @inlinable mutating func take() -> Bool {
    guard isAny else { return false }
    forget()
    return true
  }

  @usableFromInline mutating func forget() { isAny = false }
}

/// Queries that lost their last observer, and may be observed again before long.
extension CacheStore {
  /// Whether a query holds what observing it holds.
  @inlinable func countsAsObserved(_ query: Int32) -> Bool {
    queries[query].isObserved || buffer.contains(query) || queries[query].awaitsCollection
      || queries[query].isAwaitedByReader
  }

  /// Puts a query that has just lost its last observer in the buffer, if there is one; one that is in
  /// it begins again.
  ///
  /// Amortised O(1), and the release of those that it pushes out.
  @inlinable mutating func enterReleaseBuffer(_ query: Int32) {
    guard buffer.limit > 0, queries[query].plan.isCacheable else { return }
    queries[query].releasedAt = now.nanoseconds
    queries[query].awaitsCollection = false
    buffer.add(query)
    if planted(.releaseBufferUnbounded) { return }
    while let oldest = buffer.overflow { leaveReleaseBuffer(oldest) }
  }

  // MARK: Reads without an observer

  /// Notes that somebody has read a query.
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

  /// Lets the buffer have a query whose reader has been answered, if it is unobserved.
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

  /// Takes back the request that only a query's observers waited for, where requests are theirs.
  ///
  /// It has just lost the last of them.
  @inlinable mutating func takeBackRequest(of query: Int32) {
    guard buffer.reads == .whileRoom, queries[query].fetch != nil,
      !queries[query].isAwaitedByReader, queries[query].readersBesideObservers <= 0
    else { return }
    fetches.disown(.query(queries[query].key))
    queries[query].fetch = nil
  }

  // MARK: Leaving

  /// Lets go of a query in the buffer, and of those that found no room in it; O(queries) where there
  /// are any.
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

  /// Lets go of what the buffer has held for its age.
  @inlinable mutating func emptyReleaseBuffer() {
    while let deadline = releaseDeadline, deadline <= now, let oldest = buffer.list.oldest {
      leaveReleaseBuffer(oldest)
    }
  }

  /// When the buffer lets go of the next query; `nil`: not by age.
  @inlinable var releaseDeadline: Instant? {
    buffer.list.oldest.flatMap { buffer.end(ofReleasedAt: queries[$0].releasedAt) }
  }
}
