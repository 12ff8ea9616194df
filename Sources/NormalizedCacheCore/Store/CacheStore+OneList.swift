public import CacheModel
public import EvictionPolicies

/// What is done with one list: its order, and rows that come, go and move in it.
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
      // The last of a window: the next beyond it, unknown, might come first.
      return false
    }
    return true
  }

  /// Takes every occurrence of an entity out of a list.
  @inlinable mutating func remove(_ slot: Slot, from query: Int32, since place: StreamPlace?) {
    touchRows(of: query)
    passOnPlaces(behind: slot, in: query)
    let hasValue = hasValue(slot, for: query)
    let before = queries[query].members.count
    queries[query].members.removeAll { $0 == slot }
    queries.changes.mark(query, .members)
    let removed = before - queries[query].members.count
    if !hasValue { queries[query].missing -= removed }
    for _ in 0..<removed { removeListing(of: slot, in: query) }
    if planted(.windowNotRefilled) { return }
    // What moves in from beyond the window is not known, nor what a server that repeats rows will
    // repeat now.
    if queries[query].hasMore || removed > 1 { markStale(query, since: place) }
  }

  /// Puts a member where its new value belongs; where that cannot be known it stays, and the query
  /// is stale.
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
    passOnPlaces(behind: slot, in: query)
    queries[query].members = members
    queries.changes.mark(query, .members)
    touchRows(of: query)
  }

  /// Puts an entity at its place in a list, and drops what falls out of the window.
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
    if shown.isWatched { rememberShown(query) }
    let count = members.count
    if index == count, let limit = queries[query].plan.limit, count >= limit {
      let isNews = notifications.tellsOfMore && !queries[query].hasMore
      queries[query].hasMore = true
      // Pending rows may have stood there.
      shown.unpin(query)
      if shown.isWatched || isNews { tellObservers(of: query) }
      if isNews { shown.before[query] = nil }
      queries.changes.mark(query)
      return
    }
    if index == count, queries[query].hasMore {
      // There is room, but what else the server has for it is not known.
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

  /// Where an entity belongs in a list, by bisection; `nil` where a member that decides it has no
  /// value.
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
