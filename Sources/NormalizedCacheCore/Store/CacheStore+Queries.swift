public import CacheModel
public import EvictionPolicies

/// Adding, filling and removing queries.
extension CacheStore {
  @inlinable mutating func insertQuery(_ key: QueryKey, plan: QueryPlan<Schema.Predicate>) -> Int32
  {
    var record = QueryRecord(
      key: key, plan: plan, library: libraries.index(of: key.library),
      lifetime: composition.freshness.lifetimeNanoseconds(of: key.method))
    record.missCause = queries.departed.cause(of: key)
    record.fetch = fetches.awaited(by: .query(key))
    record.lastReadAt = now.nanoseconds
    let query = queries.insert(record)
    buffer.reserve(queries: queries.placeCount)
    notifications.reserve(queries: queries.placeCount)
    refetches.polls.note(query, answeredAt: nil)
    return query
  }

  /// Replaces a query's list: retains new members, and releases those that left.
  @inlinable mutating func replaceMembers(of query: Int32, with members: [Slot]) {
    let retains = queries[query].retainsMembers
    // Most rows keep their position, counted from one end or the other: their listings stay.
    var former = queries[query].members[...]
    var new = members[...]
    while let slot = new.first, slot == former.first {
      new.removeFirst()
      former.removeFirst()
    }
    while let slot = new.last, slot == former.last {
      new.removeLast()
      former.removeLast()
    }
    // New listings first, so that members that stay are never released in between.
    for slot in new { addListing(of: slot, in: query, retains: retains) }
    for slot in former { removeListing(of: slot, in: query) }
    queries[query].members = members
    queries.changes.mark(query, .members)
    queries[query].missing = members.count { !hasValue($0, for: query) }
    for slot in former { entities.freeIfUnused(slot) }
  }

  @inlinable mutating func addListing(of slot: Slot, in query: Int32, retains: Bool) {
    if !entities.isResident(slot) { entities.changes.mark(slot) }
    guard listings.add(query: query, listing: slot, to: &entities[slot].firstListing), retains
    else { return }
    listings[entities[slot].firstListing].holds = true
    hold(slot)
  }

  @inlinable mutating func removeListing(of slot: Slot, in query: Int32) {
    if !entities.isResident(slot) { entities.changes.mark(slot) }
    let removed = listings.remove(query: query, listing: slot, from: &entities[slot].firstListing)
    guard let removed else { return }
    if planted(.referenceLeakedOnReplace), removed.holds { return }
    if removed.holds { unhold(slot) } else { removeIfUnlisted(slot) }
  }

  /// Removes a query and releases its members.
  @inlinable mutating func dropQuery(_ query: Int32, cause: ReadOutcome) {
    let cause = queries[query].hasResult ? cause : queries[query].missCause
    replaceMembers(of: query, with: [])
    // A fetch in flight continues for its callers; its response fills no list.
    if queries[query].fetch != nil { fetches.disown(.query(queries[query].key)) }
    buffer.remove(query)
    optimistic.visible.positions[query] = nil
    queries.remove(query, cause: cause)
  }

  /// Removes the least recently used unobserved queries until the limit is met.
  @inlinable mutating func enforceQueryLimit() {
    guard let maximum = composition.maximumQueries else { return }
    if planted(.queryLimitIgnored) { return }
    while queries.count > maximum, let oldest = queries.leastRecentlyUsed {
      dropQuery(oldest, cause: .missEvicted)
      statistics.queriesEvicted += 1
    }
  }

  /// Releases expired queries, or removes them if the freshness axis says so.
  @inlinable mutating func expireQueries() {
    while let query = expiries.takeDue(at: now) {
      guard queries[query].isInUse, queries[query].hasResult else { continue }
      if isPastUse(query) { letGoIfExpired(query) } else { scheduleExpiry(of: query) }
    }
  }

  @inlinable mutating func scheduleExpiry(of query: Int32) {
    expiries.schedule(query, fetchedAt: queries[query].fetchedAt, lifetime: queries[query].lifetime)
  }

  /// Ends the freshness of all results, if it lasts only while something is observed: nothing is.
  ///
  /// Later reads do not join current fetches either (``fetchToJoin(of:)``). O(queries).
  @inlinable mutating func expireUnwatched() {
    guard composition.freshness.start == .answerWhileObserved else { return }
    expiries.unwatchedCommit = current.number
    for query in queries.indices where queries[query].isInUse {
      guard queries[query].hasResult, queries[query].lifetime != .max,
        !queries[query].hasExpired(at: now)
      else { continue }
      queries[query].fetchedAt = now.nanoseconds - queries[query].lifetime
      queries.changes.mark(query)
      scheduleExpiry(of: query)
      letGoIfExpired(query)
    }
  }

  /// Releases an expired query that nothing observes; it is not removed ahead of an answer to come.
  @inlinable mutating func letGoIfExpired(_ query: Int32) {
    guard isPastUse(query), !countsAsObserved(query) else { return }
    if composition.freshness.dropsExpired, queries[query].fetch == nil {
      dropQuery(query, cause: .missExpired)
    } else {
      updateRetention(of: query)
    }
  }

  /// Returns whether a query's result is known to be outdated.
  @inlinable func isMarkedStale(_ query: Int32) -> Bool {
    queries[query].isMarkedStale
      || queries[query].verification < libraries[queries[query].library].queryFloor
  }

  /// Returns whether a query's result has expired and may no longer be served, not even as an expired one.
  @inlinable func isPastUse(_ query: Int32) -> Bool {
    queries[query].hasExpired(at: now, forAtLeast: expiries.expiredUse)
  }

  @inlinable func isStale(_ query: Int32) -> Bool {
    isMarkedStale(query) || queries[query].hasExpired(at: now)
  }

  /// Marks a query stale and keeps its data; an observed one requests a fetch.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - place: the stream position of the cause; a response read there or later includes it. `nil`: only a
  ///     later fetch does.
  @inlinable mutating func markStale(_ query: Int32, since place: StreamPlace?) {
    noteCause(ofStaleness: query, at: place)
    queries[query].awaitsServer = false
    queries.changes.mark(query)
    if !queries[query].isMarkedStale {
      queries[query].isMarkedStale = true
      statistics.queriesMarkedStale += 1
      updateRetention(of: query)
    }
    if queries[query].isObserved { refetches.want(query) }
  }

  /// Notes the cause that a response must include to end the query's staleness.
  ///
  /// Of several causes in one stream the latest counts, in whatever order they arrive: slow answers to other
  /// queries may report old ones.
  @inlinable mutating func noteCause(ofStaleness query: Int32, at place: StreamPlace?) {
    let known = queries[query].staleSince ?? queries[query].place
    guard let place, known == nil || known?.stream == place.stream else {
      queries[query].unplacedInvalidations &+= 1
      return
    }
    if planted(.laterCauseReplaced) { queries[query].staleSince = nil }
    // A fetch begun after the later one arrived includes both.
    if queries[query].staleSince?.shows(place) ?? false { return }
    queries[query].staleSince = place
    queries[query].staleSinceCommit = current.number
  }

  // MARK: Tags

  /// Tags a query, or removes the tag; a query that is not cached is not tagged.
  ///
  /// Under ``Retention/tags`` a tagged query retains its rows.
  @inlinable public mutating func tag(_ key: QueryKey, _ isTagged: Bool, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let query = queries.index(of: key) else { return }
    queries[query].isTagged = isTagged
    queries.changes.mark(query)
    updateRetention(of: query)
  }

  @inlinable mutating func noteInterest(in query: Int32) {
    queries[query].lastReadAt = now.nanoseconds
    queries.changes.mark(query, .use)
  }

  // MARK: Observers

  /// Adds an observer of a query.
  ///
  /// Read the query afterwards, so that it is fetched if necessary.
  @inlinable public mutating func addObserver(of key: QueryKey, at now: Instant) {
    addObserver(of: key, as: -1, at: now)
  }

  /// Adds an observer, with a number for the query that its notifications contain; the latest number counts.
  @inlinable public mutating func addObserver(of key: QueryKey, as number: Int32, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    let query = queries.index(of: key) ?? insertObserved(key)
    queries[query].observedAs = number
    queries[query].readersBesideObservers -= 1
    if queries.addObserver(query) {
      buffer.remove(query)
      queries[query].awaitsCollection = false
      queries[query].failures = 0
      updateRetention(of: query)
      refetches.polls.schedule(query)
    }
    noteInterest(in: query)
    if queries[query].missing > 0 { queries[query].showsGaps = true }
  }

  /// Inserts a query for an observer, which is accepted even without space.
  @inlinable mutating func insertObserved(_ key: QueryKey) -> Int32 {
    _ = makeSpace(for: TableGrowth(query: key))
    return insertQuery(key, plan: schema.plan(for: key))
  }

  /// Removes an observer of a query.
  ///
  /// Under ``Retention/referenceCountObserved`` an unobserved query is removed, once no release buffer
  /// contains it.
  ///
  /// - Precondition: an observer of the query was added.
  @inlinable public mutating func removeObserver(of key: QueryKey, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let query = queries.index(of: key), queries[query].isObserved else {
      preconditionFailure("this query has no observer")
    }
    noteInterest(in: query)
    guard queries.removeObserver(query) else { return }
    if planted(.lastObserverIsNoUse) { takeForUnused(query) }
    _ = notifications.leaveWindow(query, &queries[query])
    takeBackRequest(of: query)
    enterReleaseBuffer(query)
    dropIfUnwanted(query)
    if queries.observerCount == 0 { expireUnwatched() }
  }

  /// Removes, or releases, an unobserved query that the policy does not keep.
  @inlinable mutating func dropIfUnwanted(_ query: Int32) {
    guard !countsAsObserved(query) else { return }
    if composition.retention == .referenceCountObserved {
      dropQuery(query, cause: .missEvicted)
    } else if !queries[query].plan.isCacheable {
      dropQuery(query, cause: .missCold)
    } else {
      updateRetention(of: query)
      letGoIfExpired(query)
    }
  }
}
