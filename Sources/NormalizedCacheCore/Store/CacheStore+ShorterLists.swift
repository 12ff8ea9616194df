public import CacheModel

/// A list answered from another that lists more of the same.
extension CacheStore {
  /// Gives a query that has no list the first rows of one that lists the same and is cached: one that
  /// reaches as far, or to the end.
  ///
  /// The list is as fresh, or as stale, as the one that it comes from, and from then on a list of its own,
  /// which events and pending changes concern like any other. Where there is no such list nothing changes.
  /// O(queries), and O(rows).
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - now: the time.
  /// - Returns: the list that it came from; `nil` where there is none.
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

  /// The same from a list of which it is known already that it lists the same and reaches as far, if it is
  /// cached.
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
    // Space for the one may have been made at the cost of the other.
    guard query != longer, queries[longer].isInUse, queries[longer].key != key,
      queries[longer].hasResult
    else { return false }
    if shown.isWatched { rememberShown(query) }
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

  /// A cached list of what a query lists that has so many rows, or all that there are.
  @inlinable func listThatReaches(
    _ limit: Int, of key: QueryKey, _ plan: QueryPlan<Schema.Predicate>
  ) -> Int32? {
    queries.indices.first { index in
      let record = queries[index]
      return record.hasResult && record.key.method == key.method
        && record.key.library == key.library && record.key != key
        && (record.members.count >= limit || !record.hasMore)
        && schema.isSameList(plan.predicate, as: record.plan.predicate)
    }
  }
}
