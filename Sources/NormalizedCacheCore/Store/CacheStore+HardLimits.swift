import CacheModel
public import EvictionPolicies

/// What gives way where a hard limit is exceeded and nothing may be evicted.
extension CacheStore {
  /// Gives up something where a hard limit is exceeded, and nothing may be evicted.
  @inlinable @inline(never) mutating func giveWayBeyondLimit(
    sparing written: Slot?, _ isWrittenSetAside: inout Bool
  ) -> Bool {
    // Into the order again, since what gives way may take it along.
    putBack(written, &isWrittenSetAside)
    return exceedsLimit && giveWay(sparing: written)
  }

  /// Gives up the least of what is retained.
  ///
  /// Unobserved queries go first, the least recently used first, but not the one that is being
  /// filled; that one stops holding its rows; then what observed queries list loses its values, the
  /// least recently used first. What has pending edits stays. Amortised O(1) for each listing that goes.
  ///
  /// - Parameter written: the entity being written, which never loses its value so.
  /// - Returns: whether anything was given up.
  @inlinable @inline(never) mutating func giveWay(sparing written: Slot?) -> Bool {
    if planted(.hardLimitIgnored) { return false }
    // Where nothing is retained, queries take no space but memory.
    if limits.tracksHeld || limits.countsMemory, let query = queryToDrop {
      evictQuery(query)
      return true
    }
    if current.filledQuery >= 0, !queries[current.filledQuery].isObserved,
      queries[current.filledQuery].retainsMembers
    {
      setRetention(of: current.filledQuery, to: false)
      return true
    }
    return limits.tracksHeld && evictHeld(sparing: written)
  }

  // MARK: The line of those that are held back
  // Apart, so that who keeps no such line pays for one test.

  @inlinable @inline(never) mutating func standInLine(_ slot: Slot) {
    held.add(slot, slots: entities.slotCount)
  }

  @inlinable @inline(never) mutating func leaveLine(_ slot: Slot) { held.remove(slot) }

  @inlinable @inline(never) mutating func noteUseInLine(of slot: Slot) { held.noteUse(of: slot) }

  @inlinable @inline(never) mutating func noteUsesInLine(ofMembersOf query: Int32) {
    for slot in queries[query].members { held.noteUse(of: slot) }
  }

  // MARK: Giving up

  /// The unobserved query that was used longest ago, but for the one that is being filled.
  @inlinable var queryToDrop: Int32? {
    guard let oldest = queries.leastRecentlyUsed else { return nil }
    return oldest == current.filledQuery ? queries.unobserved.younger(than: oldest) : oldest
  }

  @inlinable mutating func evictQuery(_ query: Int32) {
    dropQuery(query, cause: .missEvicted)
    statistics.queriesEvicted += 1
  }

  /// Takes the value of the row that was used longest ago, though something holds it back; the lists
  /// keep their rows.
  @inlinable mutating func evictHeld(sparing written: Slot?) -> Bool {
    while let slot = held.oldest(but: written) {
      held.remove(slot)
      // It stands in line again once something lets go of it: its edits, in the end.
      if pending.hasEdits(of: entities.key(of: slot)) { continue }
      dropValue(of: slot)
      statistics.evictions += 1
      return true
    }
    return false
  }
}
