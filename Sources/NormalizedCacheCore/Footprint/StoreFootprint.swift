import CacheModel
import Containers
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

/// What the tables of a store take from the allocator, by part, in bytes.
///
/// Not in it: the memory that values point to, which is the app's, and the eviction order's, which
/// only the order knows.
package struct StoreFootprint: Hashable, Sendable {
  /// Finding a slot by its key.
  package var key = 0
  /// What is known of an entity beside its value, its key included.
  package var slot = 0
  /// The places of the values, as wide as the value is declared; what it points to is not in it.
  package var valuePlaces = 0
  /// Which queries list an entity.
  package var reverseIndex = 0
  /// The queries: their state, their keys, their lists, and finding them.
  package var queryIndex = 0
  /// The changes that a storage does not have.
  package var persistence = 0
  /// What is remembered of what has left.
  package var history = 0

  package init() {}

  package var total: Int {
    key + slot + valuePlaces + reverseIndex + queryIndex + persistence + history
  }
}

extension CacheStore {
  /// The tables' own count of what they take, at the allocator's size classes.
  ///
  /// O(queries). Whatever is bounded by a few entries, or lives for one commit only, is left out.
  package var footprint: StoreFootprint {
    var footprint = StoreFootprint()
    entities.add(to: &footprint)
    footprint.slot += evictable.probation.allocatedBytes
    if held.reserved > 0 { footprint.slot += held.list.allocatedBytes }
    footprint.reverseIndex = listings.allocatedBytes
    queries.add(to: &footprint)
    footprint.queryIndex +=
      buffer.list.allocatedBytes + notifications.inWindow.allocatedBytes
      + expiries.deadlines.allocatedBytes + refetches.retries.allocatedBytes
      + refetches.polls.allocatedBytes
    return footprint
  }

  /// Every value in the cache, in slot order; O(slots).
  package func forEachResidentValue(_ body: (Payload) -> Void) {
    entities.forEachSlot { slot in
      if let payload = entities.payload(of: slot) { body(payload) }
    }
  }
}

extension EntityTable {
  func add(to footprint: inout StoreFootprint) {
    footprint.key += index.allocatedBytes
    footprint.slot +=
      records.allocatedBytes
      + AllocationSize.array(capacity: freeSlots.capacity, stride: MemoryLayout<Slot>.stride)
    footprint.valuePlaces += payloads.allocatedBytes
    footprint.persistence += changes.allocatedBytes
    // A deque does not say what it has room for.
    footprint.history += AllocationSize.array(
      capacity: tombstones.count, stride: MemoryLayout<Tombstone>.stride)
  }
}

extension ListingTable {
  var allocatedBytes: Int { records.allocatedBytes + index.allocatedBytes }
}

extension ListingIndex {
  var allocatedBytes: Int { records.allocatedBytes + index.allocatedBytes }
}

extension SlotIndex {
  var allocatedBytes: Int { first.allocatedBytes + next.allocatedBytes }
}

extension ScopeTable {
  /// With the list of each scope, which most queries have for themselves.
  var allocatedBytes: Int {
    let place = MemoryLayout<Int32>.stride
    var bytes = records.allocatedBytes + index.allocatedBytes
    bytes += AllocationSize.array(capacity: free.capacity, stride: place)
    for scope in 0..<used {
      bytes += AllocationSize.array(capacity: records[scope].queries.capacity, stride: place)
    }
    return bytes
  }
}

extension QueryTable {
  func add(to footprint: inout StoreFootprint) {
    let place = MemoryLayout<Int32>.stride
    footprint.queryIndex +=
      AllocationSize.array(
        capacity: records.capacity, stride: MemoryLayout<QueryRecord<Predicate>>.stride)
      + indexOfKey.allocatedBytes
      + scopes.allocatedBytes
      + unobserved.allocatedBytes
      + AllocationSize.array(capacity: free.capacity, stride: place)
      + AllocationSize.array(capacity: observed.capacity, stride: place)
    for record in records {
      footprint.queryIndex += AllocationSize.array(
        capacity: record.members.capacity, stride: MemoryLayout<Slot>.stride)
      guard record.isInUse else { continue }
      // The bytes of its key.
      footprint.queryIndex += AllocationSize.array(capacity: record.key.input.count, stride: 1)
    }
    footprint.persistence += changes.allocatedBytes
    footprint.history += departed.allocatedBytes
  }
}

extension QueryDeadlines {
  var allocatedBytes: Int {
    // A heap does not say what it has room for; it doubles.
    AllocationSize.array(capacity: count, stride: MemoryLayout<Deadline>.stride)
      + AllocationSize.array(capacity: instants.capacity, stride: MemoryLayout<Int64>.stride)
  }
}

extension QueryPolls {
  var allocatedBytes: Int {
    deadlines.allocatedBytes
      + AllocationSize.array(capacity: dueAt.capacity, stride: MemoryLayout<Int64>.stride)
  }
}

extension ChangeLog {
  /// What the marks of so many places take: they double.
  static func allocatedBytes(places: Int) -> Int {
    var room = 1
    while room < places { room *= 2 }
    return AllocationSize.rounded(room * MemoryLayout<Marks>.stride)
  }

  var allocatedBytes: Int {
    marks.allocatedBytes
      + AllocationSize.array(capacity: listed.capacity, stride: MemoryLayout<Int32>.stride)
      + AllocationSize.array(capacity: removed.capacity, stride: MemoryLayout<Key>.stride)
  }
}

extension DepartedQueries {
  var allocatedBytes: Int {
    causes.allocatedBytes
      + AllocationSize.array(capacity: order.count, stride: MemoryLayout<QueryKey>.stride)
      + order.reduce(0) { $0 + AllocationSize.array(capacity: $1.input.count, stride: 1) }
  }
}

/// What values take from the allocator, where a store must say it of all of them at once.
@usableFromInline package struct ValueMemory: Hashable, Sendable {
  /// The width of the place of a value, or of none, in bytes; `nil`: that of the store's payload.
  @usableFromInline let stride: Int?
  /// What a value takes beyond its place for each byte of its weight, as a mean.
  @usableFromInline let bytesPerWeight: Double

  @usableFromInline package init(stride: Int? = nil, bytesPerWeight: Double) {
    self.stride = stride
    self.bytesPerWeight = bytesPerWeight
  }

  /// Each value takes its weight beyond its place: the default of a store.
  @usableFromInline package static let weight = ValueMemory(bytesPerWeight: 1)

  /// What values of so much weight together take beyond their places, in bytes.
  @inlinable package func bytes(of weight: Int) -> Int {
    Int(exactly: (Double(weight) * bytesPerWeight).rounded()) ?? .max
  }

  /// The weight of values that take so many bytes.
  @inlinable func weight(in bytes: Int) -> Int {
    bytesPerWeight > 0
      ? Int(exactly: (Double(bytes) / bytesPerWeight).rounded(.down)) ?? .max : .max
  }
}
