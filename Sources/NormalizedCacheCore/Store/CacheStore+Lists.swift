public import CacheModel
public import EvictionPolicies

/// Changes of one list: its order, and rows that enter, leave and move.
extension CacheStore {
  @inlinable func isInOrder(_ slot: Slot, payload: Payload, in query: Int32) -> Bool {
    let members = queries[query].members
    guard let index = members.firstIndex(of: slot) else { return false }
    let key = entities.key(of: slot)
    let predicate = queries[query].plan.predicate
    if index > 0 {
      guard let before = entities.payload(of: members[index - 1]),
        schema.precedes(
          before, key: entities.key(of: members[index - 1]), payload, key: key, in: predicate)
      else { return false }
    }
    if index + 1 < members.count {
      guard let after = entities.payload(of: members[index + 1]),
        schema.precedes(
          payload, key: key, after, key: entities.key(of: members[index + 1]), in: predicate)
      else { return false }
    } else if queries[query].hasMore {
      // The last of a window: the next row after it, which is unknown, might precede.
      return false
    }
    return true
  }

  /// Removes every occurrence of an entity from a list.
  @inlinable mutating func remove(_ slot: Slot, from query: Int32, since place: StreamPlace?) {
    touchRows(of: query)
    passOnPositions(behind: slot, in: query)
    let hasValue = hasValue(slot, for: query)
    let before = queries[query].members.count
    queries[query].members.removeAll { $0 == slot }
    queries.changes.mark(query, .members)
    let removed = before - queries[query].members.count
    if !hasValue { queries[query].missing -= removed }
    for _ in 0..<removed { removeListing(of: slot, in: query) }
    if planted(.windowNotRefilled) { return }
    // The row that moves in from outside the window is unknown, as is what a server with repeated rows will
    // repeat now.
    if queries[query].hasMore || removed > 1 { markStale(query, since: place) }
  }

  /// Moves a member to the position of its new value; if that is unknown it stays, and the query becomes
  /// stale.
  @inlinable mutating func move(
    _ slot: Slot, payload: Payload, in query: Int32, since place: StreamPlace?
  ) {
    var members = queries[query].members
    members.removeAll { $0 == slot }
    guard
      let index = insertionIndex(of: slot, payload: payload, among: members, in: query),
      index < members.count || !queries[query].hasMore
    else {
      markStale(query, since: place)
      return
    }
    members.insert(slot, at: index)
    guard members != queries[query].members else { return }
    passOnPositions(behind: slot, in: query)
    queries[query].members = members
    queries.changes.mark(query, .members)
    touchRows(of: query)
  }

  /// Inserts an entity at its position in a list, and drops the row that leaves the window.
  @inlinable mutating func insert(
    _ slot: Slot, payload: Payload, into query: Int32, since place: StreamPlace?
  ) {
    let members = queries[query].members
    guard queries[query].isSorted,
      let index = insertionIndex(of: slot, payload: payload, among: members, in: query)
    else {
      markStale(query, since: place)
      return
    }
    if optimistic.visible.isWatched { rememberRows(query) }
    let count = members.count
    if index == count, let limit = queries[query].plan.limit, count >= limit {
      let isNews = notifications.notifiesOfMore && !queries[query].hasMore
      queries[query].hasMore = true
      // Pending rows may have been at that position.
      optimistic.visible.unpin(query)
      if optimistic.visible.isWatched || isNews { scheduleNotification(of: query) }
      if isNews { optimistic.visible.before[query] = nil }
      queries.changes.mark(query)
      return
    }
    if index == count, queries[query].hasMore {
      // There is space, but the server's further rows are unknown.
      markStale(query, since: place)
      return
    }
    touchRows(of: query)
    queries[query].members.insert(slot, at: index)
    queries.changes.mark(query, .members)
    if !hasValue(slot, for: query) { queries[query].missing += 1 }
    addListing(of: slot, in: query, retains: queries[query].retainsMembers)
    if let limit = queries[query].plan.limit, count + 1 > limit {
      queries[query].hasMore = true
      let last = queries[query].members.removeLast()
      if !hasValue(last, for: query) { queries[query].missing -= 1 }
      // Observers were shown it, and a later item of the same event may be older.
      if current.isApplyingEvents { entities.keep(last) }
      removeListing(of: last, in: query)
      entities.freeIfUnused(last)
    }
  }

  /// Finds an entity's position in a list by bisection; `nil` if a member that decides it has no value.
  @inlinable func insertionIndex(
    of slot: Slot, payload: Payload, among members: [Slot], in query: Int32
  ) -> Int? {
    if planted(.rowAppendedUnordered) { return members.count }
    let key = entities.key(of: slot)
    let predicate = queries[query].plan.predicate
    var low = 0
    var high = members.count
    if planted(.bisectionPastTheEnd) { high += 1 }
    while low < high {
      let middle = (low + high) / 2
      guard let other = entities.payload(of: members[middle]) else { return nil }
      if schema.precedes(
        other, key: entities.key(of: members[middle]), payload, key: key, in: predicate)
      {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

/// Answering a list from a longer one.
extension CacheStore {
  /// Gives a query without a result the first rows of a cached longer list of the same rows, or of one that
  /// is complete.
  ///
  /// The new list is as fresh, or as stale, as its source, and from then on independent: events and pending
  /// changes affect it like any other. Nothing changes if there is no such list. O(queries), and O(rows).
  ///
  /// - Returns: the source; `nil` if there is none.
  @inlinable package mutating func takeFromLongerList(_ key: QueryKey, at now: Instant) -> QueryKey?
  {
    beginCommit(at: now)
    defer { endCommit() }
    let plan = schema.plan(for: key)
    guard plan.isCacheable, composition.maximumQueries != 0, let limit = plan.limit,
      let longer = listThatReaches(limit, of: key, plan), case let source = queries[longer].key,
      take(key, plan, limit, from: longer)
    else { return nil }
    return source
  }

  /// Gives a query the first rows of a list, known to be a longer list of the same rows, if it is cached.
  @inlinable package mutating func take(_ key: QueryKey, from longer: QueryKey, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    let plan = schema.plan(for: key)
    guard members(of: key) == nil, let source = queries.index(of: longer),
      queries[source].hasResult
    else { return }
    _ = take(key, plan, plan.limit ?? .max, from: source)
  }

  /// - Returns: whether there was space.
  @inlinable mutating func take(
    _ key: QueryKey, _ plan: QueryPlan<Schema.Predicate>, _ limit: Int, from longer: Int32
  ) -> Bool {
    let rows = queries[longer].members.prefix(limit).map { entities.key(of: $0) }
    guard makeSpace(for: TableGrowth(query: key)), hasPlaces(for: rows, in: longer) else {
      return false
    }
    let query = queries.index(of: key) ?? insertQuery(key, plan: plan)
    // Making space for one may have evicted the other.
    guard query != longer, queries[longer].isInUse, queries[longer].key != key,
      queries[longer].hasResult
    else { return false }
    if optimistic.visible.isWatched { rememberRows(query) }
    let record = queries[longer]
    replaceMembers(of: query, with: Array(record.members.prefix(limit)))
    queries[query].hasResult = true
    queries[query].hasMore = record.members.count > limit || record.hasMore
    queries[query].isSorted = record.isSorted
    queries[query].fetchedAt = record.fetchedAt
    queries[query].place = record.place
    queries[query].verification = record.verification
    queries[query].isMarkedStale = record.isMarkedStale
    queries[query].staleSince = record.staleSince
    queries[query].staleSinceCommit = record.staleSinceCommit
    libraries.noteData(of: record.library)
    refetches.polls.note(query, answeredAt: record.fetchedAt)
    scheduleExpiry(of: query)
    updateRetention(of: query)
    touchRows(of: query)
    queries.changes.mark(query)
    return true
  }

  /// Returns a cached list of the same query with at least this many rows, or all of them: one that is
  /// complete and fresh, if there is one.
  @inlinable func listThatReaches(
    _ limit: Int, of key: QueryKey, _ plan: QueryPlan<Schema.Predicate>
  ) -> Int32? {
    var found: Int32?
    for index in queries.indices {
      let record = queries[index]
      guard
        record.hasResult && record.key.method == key.method
          && record.key.library == key.library && record.key != key
          && (record.members.count >= limit || !record.hasMore)
          && schema.isSameList(plan.predicate, as: record.plan.predicate)
      else { continue }
      if !lacksSomething(index) { return index }
      found = found ?? index
    }
    return found
  }
}
