import CacheModel
import EvictionPolicies

/// How far a store has grown: what its memory follows from, beside its values.
///
/// Tables do not shrink, so places are counted as the most that were ever needed at once.
@usableFromInline package struct StoreCounts: Hashable, Sendable {
  /// Places for entities: resident, listed, deleted and remembered, or free again.
  @usableFromInline package var slots = 0
  /// Places in the reverse index: pairs of a query and an entity that it lists.
  @usableFromInline package var listings = 0
  /// How many of these are found through an index, since many queries list their entity.
  @usableFromInline package var indexedListings = 0
  /// Places for queries, and how many of them are taken.
  @usableFromInline package var queryPlaces = 0
  @usableFromInline package var queries = 0
  /// The bytes of the inputs of the queries' keys together.
  @usableFromInline package var inputBytes = 0
  /// Queries that have left and of which the cause is remembered.
  package var departedQueries = 0
  package var tombstones = 0
  /// How many of them the list of those on probation has room for.
  @usableFromInline package var probationSlots = 0
  /// The same for the line of those that are held back under a hard limit.
  @usableFromInline package var heldSlots = 0
  /// Queries that are observed, and all their observers together.
  package var observedQueries = 0
  package var observers = 0
  /// Whether a record of changes is kept for a storage; the counts below are of that record.
  package var isPersistent = false
  /// The most places of entities, and of queries, that waited to be written at once.
  package var changedSlots = 0
  package var changedQueries = 0
  /// Removals that wait to be written.
  package var removedEntities = 0
  package var removedQueries = 0

  package init() {}
}

extension CacheStore {
  /// How far the store has grown; O(1).
  @usableFromInline package var counts: StoreCounts {
    var counts = StoreCounts()
    counts.slots = entities.slotCount
    counts.listings = Int(listings.used)
    counts.indexedListings = Int(listings.index.used)
    counts.queryPlaces = queries.records.count
    counts.queries = queries.count
    counts.inputBytes = queries.inputBytes
    counts.departedQueries = queries.departed.causes.count
    counts.tombstones = entities.tombstones.count
    counts.probationSlots = evictable.probation.reserved
    counts.heldSlots = held.reserved
    counts.observedQueries = queries.observed.count
    counts.observers = queries.observerCount
    counts.isPersistent = isPersistent
    counts.changedSlots = entities.changes.mostListed
    counts.changedQueries = queries.changes.mostListed
    counts.removedEntities = entities.changes.removed.count
    counts.removedQueries = queries.changes.removed.count
    return counts
  }
}
