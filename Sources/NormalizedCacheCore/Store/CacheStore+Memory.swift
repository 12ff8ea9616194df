public import CacheModel
public import EvictionPolicies

/// What an operation will add to a store's tables.
@usableFromInline struct TableGrowth: Sendable {
  @usableFromInline var slots = 0
  @usableFromInline var listings = 0
  /// The number of these listings that move another one into the index.
  @usableFromInline var indexedListings = 0
  @usableFromInline var queries = 0
  /// The bytes of the inputs of these queries' keys.
  @usableFromInline var inputBytes = 0

  @inlinable init(slots: Int = 0, listings: Int = 0, indexedListings: Int = 0) {
    self.slots = slots
    self.listings = listings
    self.indexedListings = indexedListings
  }

  /// The growth of a query without rows.
  @inlinable init(query key: QueryKey) {
    queries = 1
    inputBytes = key.input.count
  }
}

/// A memory limit: the memory of values and tables is predicted, and space is made before it is used.
///
/// Values can be evicted, but tables do not shrink. So a table grows only if there is space, or space can be
/// made: first by removing queries that could not be answered from the cache anyway, then by evicting
/// entities, then, under a hard limit, by evicting what is retained. What does not fit is not kept. Without a
/// memory limit this costs nothing.
extension CacheStore {
  /// The store's predicted memory in bytes: its tables at their current size, and its values.
  ///
  /// O(1).
  package var predictedBytes: Int { predictedTables(after: nil) + predictedValues(adding: 0) }

  /// The predicted memory with the tables' size when last computed; during an operation they may have grown
  /// since.
  @inlinable var predictedBytesNow: Int { memory.tables + predictedValues(adding: 0) }

  @inlinable @inline(never) func isPredicted(above bytes: Int) -> Bool { predictedBytesNow > bytes }

  @inlinable func predictedValues(adding weight: Int) -> Int {
    limits.values.bytes(of: entities.residentWeight + weight)
  }

  @inlinable @inline(never) func predictedTables(after growth: TableGrowth?) -> Int {
    guard memory.model != nil else { return 0 }
    var counts = counts
    if let growth {
      counts.slots += max(growth.slots - entities.freeSlots.count, 0)
      counts.listings += max(growth.listings - listings.freeCount, 0)
      counts.indexedListings += max(growth.indexedListings - listings.index.freeCount, 0)
      counts.queryPlaces += max(growth.queries - queries.free.count, 0)
      counts.queries += growth.queries
      counts.inputBytes += growth.inputBytes
      // Lists of entities outside the order grow with the slots, if they are used at all.
      if counts.probationSlots > 0 {
        counts.probationSlots = max(counts.probationSlots, counts.slots)
      }
      if limits.tracksHeld { counts.heldSlots = max(counts.heldSlots, counts.slots) }
    }
    return memory.tables(counts)
  }

  @inlinable @inline(never) mutating func lookAtTables() {
    if memory.model != nil { memory.look(at: counts) }
  }

  /// The maximum size of tables: a sixteenth of the limit is reserved for uncontrolled memory, such as
  /// observers.
  @inlinable var mostForTables: Int { limits.memory - limits.memory / 16 }

  // MARK: Space for values

  /// Makes space for a value before it is written; O(1) if there is space.
  ///
  /// - Returns: whether to keep the value; always true for a soft limit.
  @inlinable @inline(never) mutating func makeSpace(forWeight weight: Int, of slot: Slot) -> Bool {
    guard limits.countsMemory, memory.tables + predictedValues(adding: weight) > limits.highMemory
    else { return true }
    var isSetAside = false
    while memory.tables + predictedValues(adding: weight) > limits.lowMemory {
      if let victim = nextVictim(but: slot, isSetAside: &isSetAside) {
        evict(victim)
        continue
      }
      putBack(slot, &isSetAside)
      guard limits.isHard, memory.tables + predictedValues(adding: weight) > limits.memory,
        giveWay(sparing: slot)
      else { break }
    }
    putBack(slot, &isSetAside)
    return !limits.isHard || memory.tables + predictedValues(adding: weight) <= limits.memory
  }

  // MARK: Space for tables

  /// Makes space for tables to grow, if necessary; amortised O(1).
  ///
  /// - Returns: whether they may grow; always true for a soft limit.
  @inlinable mutating func makeSpace(for growth: TableGrowth, keeping query: Int32? = nil) -> Bool {
    guard limits.countsMemory else { return true }
    return makeTableSpace(for: growth, keeping: query)
  }

  @inlinable @inline(never) mutating func makeTableSpace(
    for growth: TableGrowth, keeping query: Int32?
  ) -> Bool {
    if planted(.tableGrowthUnforeseen) { return true }
    if hasFreePlaces(for: growth) { return true }
    let former = current.filledQuery
    current.filledQuery = query ?? former
    defer { current.filledQuery = former }
    while true {
      lookAtTables()
      let grown = predictedTables(after: growth)
      let total = grown + predictedValues(adding: 0)
      let isCramped = grown > memory.tables && grown > mostForTables
      if total <= limits.highMemory, !isCramped {
        memory.expect(tables: grown)
        return true
      }
      let wantsPlaces = grown > memory.tables
      if wantsPlaces, dropQuery(forPlacesOf: growth, isCramped: isCramped) {
        // The place of one query is enough: none takes much memory, so all would go before the table could grow.
        if hasFreePlaces(for: growth) { return true }
        continue
      }
      if evictForPlaces(isCramped: isCramped) { continue }
      if limits.isHard, !isCramped, total > limits.memory, giveWay(sparing: nil) { continue }
      guard !limits.isHard || !isCramped && total <= limits.memory else { return false }
      memory.expect(tables: grown)
      return true
    }
  }

  @inlinable @inline(never) func hasFreePlaces(for growth: TableGrowth) -> Bool {
    growth.slots <= entities.freeSlots.count && growth.listings <= listings.freeCount
      && growth.indexedListings <= listings.index.freeCount
      && growth.queries <= queries.free.count
  }

  /// Removes the least recently used query, so that its slots can be reused: one with missing rows, which
  /// could not be answered; or any, if queries themselves need slots or tables may not grow.
  @inlinable @inline(never) mutating func dropQuery(
    forPlacesOf growth: TableGrowth, isCramped: Bool
  ) -> Bool {
    guard let query = queryToDrop else { return false }
    let isOfNoUse = queries[query].hasResult && queries[query].missing > 0
    guard isOfNoUse || growth.queries > 0 || isCramped,
      limits.isHard || !queries[query].retainsMembers
    else { return false }
    evictQuery(query)
    return true
  }

  /// Evicts an entity: for its value, or if tables may not grow, for its slot.
  @inlinable @inline(never) mutating func evictForPlaces(isCramped: Bool) -> Bool {
    var isSetAside = false
    guard let victim = nextVictim(but: nil, isSetAside: &isSetAside) else { return false }
    if isCramped, entities.isListed(victim) { return false }
    evict(victim)
    return true
  }

  /// Returns whether there is, or can be made, a slot for an entity.
  @inlinable @inline(__always) mutating func hasPlace(for key: EntityKey) -> Bool {
    !limits.countsMemory || hasTablePlace(for: key)
  }

  @inlinable @inline(never) mutating func hasTablePlace(for key: EntityKey) -> Bool {
    guard entities.freeSlots.isEmpty, entities.slot(of: key) == nil else { return true }
    return makeTableSpace(for: TableGrowth(slots: 1), keeping: nil)
  }

  /// Returns whether there is, or can be made, space for a query to list one more entity.
  @inlinable mutating func hasPlace(for key: EntityKey, in query: Int32) -> Bool {
    guard limits.countsMemory else { return true }
    return makeTableSpace(for: growth(toList: key, in: query), keeping: query)
  }

  /// Returns whether there is, or can be made, space for a list; repeated rows count each time.
  ///
  /// O(rows).
  @inlinable mutating func hasPlaces(for rows: [EntityKey], in query: Int32) -> Bool {
    guard limits.countsMemory else { return true }
    return hasTablePlaces(for: rows, in: query)
  }

  @inlinable @inline(never) mutating func hasTablePlaces(for rows: [EntityKey], in query: Int32)
    -> Bool
  {
    var growth = TableGrowth()
    for key in rows {
      let row = self.growth(toList: key, in: query)
      growth.slots += row.slots
      growth.listings += row.listings
      growth.indexedListings += row.indexedListings
    }
    // Nothing is evicted for a list that would not fit in an empty cache.
    guard !limits.isHard || leastTables(for: growth) <= mostForTables else { return false }
    return makeTableSpace(for: growth, keeping: query)
  }

  /// The memory of tables, at their current size, with only the planned additions.
  @inlinable @inline(never) func leastTables(for growth: TableGrowth) -> Int {
    var counts = counts
    counts.slots = max(counts.slots, growth.slots)
    counts.listings = max(counts.listings, growth.listings)
    return memory.tables(counts)
  }

  @inlinable @inline(never) func growth(toList key: EntityKey, in query: Int32) -> TableGrowth {
    guard let slot = entities.slot(of: key) else { return TableGrowth(slots: 1, listings: 1) }
    if query >= 0, listing(of: slot, in: query) != nil { return TableGrowth() }
    let isIndexed = listings.hasAllSearched(from: entities[slot].firstListing)
    return TableGrowth(listings: 1, indexedListings: isIndexed ? 1 : 0)
  }

  // MARK: Giving up

  /// Removes the result of a query whose list does not fit; waiting callers get the answer.
  ///
  /// It is fetched again only when it is read.
  @inlinable @inline(never) mutating func decline(_ query: Int32) {
    queries[query].fetch = nil
    queries[query].failures = 0
    queries[query].missCause = .missEvicted
    queries[query].isMarkedStale = false
    queries[query].staleSince = nil
    queries[query].isDeclined = true
    if queries[query].hasResult {
      replaceMembers(of: query, with: [])
      queries[query].hasResult = false
      queries[query].hasMore = false
      updateRetention(of: query)
    }
    settleUnobservedRead(of: query)
    if !queries[query].isObserved { evictQuery(query) }
  }

  /// Updates the prediction at the end of a commit, and makes space for memory that was used without control.
  @inlinable @inline(never) mutating func settleMemory() {
    lookAtTables()
    while limits.isHard, predictedBytesNow > limits.memory {
      let former = predictedBytesNow
      enforceCapacity(protecting: nil)
      lookAtTables()
      if predictedBytesNow >= former { break }
    }
  }
}

/// The predicted memory of a store's tables, if memory is limited.
@usableFromInline struct PredictedMemory: Sendable {
  /// `nil`: memory is not limited.
  @usableFromInline let model: MemoryModel?
  /// At the last computation, in bytes; the tables may have grown since.
  @usableFromInline private(set) var tables = 0
  /// The size that was last looked at: few commits change it, and the computation takes longer than a read.
  @usableFromInline var looked: StoreCounts?

  @inlinable init(model: MemoryModel?) { self.model = model }

  @usableFromInline mutating func look(at counts: StoreCounts) {
    guard counts != looked else { return }
    looked = counts
    tables = tables(counts)
  }

  /// Sets the bytes of tables that are about to grow.
  @usableFromInline mutating func expect(tables bytes: Int) {
    tables = bytes
    looked = nil
  }

  /// The predicted bytes of tables of this size; 0 if memory is not limited.
  @usableFromInline func tables(_ counts: StoreCounts) -> Int {
    model?.bytes(of: counts, valueBytes: 0) ?? 0
  }
}
