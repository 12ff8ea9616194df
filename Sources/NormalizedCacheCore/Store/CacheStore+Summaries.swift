import CacheModel
public import EvictionPolicies

/// Entities of which a list shows a part, and another query the whole.
///
/// An entity has one value at a time, of one version, a summary or the whole; what is shown never mixes
/// two versions. Of one version the whole stays when a summary comes; a newer summary takes the place of
/// an older whole, and who shows the whole has a gap until the server is asked. For a schema without
/// summaries all of this is left out when the store is specialised.
extension CacheStore {
  /// Whether a value is a summary.
  @inlinable @inline(__always) func isSummary(_ payload: Payload) -> Bool {
    if planted(.summaryTakenForWhole) { return false }
    return Schema.hasSummaries && schema.isSummary(payload)
  }

  /// Whether a query can show a value, or needs more of it.
  @inlinable @inline(__always) func canShow(isSummary: Bool, _ query: Int32) -> Bool {
    !Schema.hasSummaries || !isSummary || queries[query].plan.showsSummaries
  }

  /// Whether a slot holds a summary, and a query shows more.
  @inlinable @inline(__always) func isTooLittle(_ slot: Slot, for query: Int32) -> Bool {
    !canShow(isSummary: entities[slot].isSummary, query)
  }

  /// Whether a slot has a value that a query can show.
  @inlinable @inline(__always) func hasValue(_ slot: Slot, for query: Int32) -> Bool {
    entities.isResident(slot) && !isTooLittle(slot, for: query)
  }

  /// Whether the value in a slot, if there is one, is the whole.
  @inlinable @inline(__always) func isWhole(_ slot: Slot) -> Bool {
    !Schema.hasSummaries || !entities[slot].isSummary
  }

  /// The value in a slot; `nil` where there is none, or only a summary.
  @inlinable @inline(__always) func wholePayload(of slot: Slot) -> Payload? {
    isWhole(slot) ? entities.payload(of: slot) : nil
  }

  /// Whether what is fetched shows more than summaries.
  @inlinable func needsWholes(_ target: FetchTarget) -> Bool {
    guard Schema.hasSummaries, case .query(let key) = target else { return true }
    let plan = queries.index(of: key).map { queries[$0].plan } ?? schema.plan(for: key)
    return !plan.showsSummaries
  }

  /// Whether a value of the version that a slot has a summary of is the whole of it, and is kept.
  @inlinable @inline(__always) func completes(_ payload: Payload, in slot: Slot) -> Bool {
    guard Schema.hasSummaries, entities.isResident(slot) else { return false }
    if planted(.wholeLostToItsSummary), isSummary(payload) { return true }
    return entities[slot].isSummary && !isSummary(payload) && admits(payload, in: slot)
  }

  /// Notes whether the value that a slot is about to have, in exchange for the one it has, is a summary.
  @inlinable @inline(__always) mutating func noteLevel(of slot: Slot, _ isSummary: Bool) {
    if entities[slot].isSummary != isSummary { changeLevel(of: slot, isSummary) }
  }

  /// Opens or closes gaps in the lists that show more than summaries.
  ///
  /// Who observes such a list is told, and the list fetched again. O(queries that list the entity).
  @inlinable @inline(never) mutating func changeLevel(of slot: Slot, _ isSummary: Bool) {
    if isSummary, !pending.showsNothing { pinPlaces(beside: slot) }
    entities[slot].isSummary = isSummary
    var listing = entities[slot].firstListing
    while listing >= 0 {
      let query = listings[listing].query
      if !queries[query].plan.showsSummaries {
        if isSummary {
          queries[query].missing += Int(listings[listing].multiplicity)
          touchRows(of: query)
          if queries[query].isObserved { refetches.want(query) }
        } else {
          closeGap(ofListing: listing, in: query)
        }
      }
      listing = listings[listing].next
    }
  }

  /// Has a list fetched once more, after a pause, whose answer was older than summaries that the cache
  /// has of its rows.
  @inlinable @inline(never) mutating func askForWholes(of query: Int32) {
    guard queries[query].isObserved, queries[query].missing > 0,
      queries[query].members.contains(where: { isTooLittle($0, for: query) })
    else { return }
    backOff(query: query)
  }
}
