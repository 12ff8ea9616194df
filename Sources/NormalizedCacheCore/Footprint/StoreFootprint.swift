import CacheModel
import Containers
import EvictionPolicies

/// The size of a store, from which its memory is predicted, without values.
///
/// Tables do not shrink, so slots are counted at their peak.
@usableFromInline package struct StoreCounts: Hashable, Sendable {
  /// Entity slots: resident, listed, deleted but remembered, or free again.
  @usableFromInline package var slots = 0
  /// Entries of the reverse index: pairs of a query and an entity that it lists.
  @usableFromInline package var listings = 0
  /// The number of these that have an index, since many queries list their entity.
  @usableFromInline package var indexedListings = 0
  /// Query slots, and the number in use.
  @usableFromInline package var queryPlaces = 0
  @usableFromInline package var queries = 0
  /// The total bytes of the inputs of query keys.
  @usableFromInline package var inputBytes = 0
  /// Removed queries whose removal cause is remembered.
  package var departedQueries = 0
  package var tombstones = 0
  /// The capacity of the probation list, in slots.
  @usableFromInline package var probationSlots = 0
  /// The capacity of the list of entities held back under a hard limit, in slots.
  @usableFromInline package var heldSlots = 0
  package var observedQueries = 0
  package var observers = 0
  /// Whether changes are recorded for a storage; the counts below are of that record.
  package var isPersistent = false
  /// The peak numbers of entities, and of queries, that waited to be written.
  package var changedSlots = 0
  package var changedQueries = 0
  /// Removals that wait to be written.
  package var removedEntities = 0
  package var removedQueries = 0

  package init() {}
}

extension CacheStore {
  /// The store's current size; O(1).
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

/// The heap memory of a store's tables by part, in bytes.
///
/// Excludes the memory that values refer to, which is the app's, and the eviction order's, which only the
/// order knows.
package struct StoreFootprint: Hashable, Sendable {
  /// The index of slots by key.
  package var key = 0
  /// The metadata of entities, keys included.
  package var slot = 0
  /// The inline storage of values, without the memory that they refer to.
  package var valuePlaces = 0
  /// The index of queries by entity.
  package var reverseIndex = 0
  /// The queries: state, keys, lists and index.
  package var queryIndex = 0
  /// Changes that are not yet in the storage.
  package var persistence = 0
  /// The memory of removed entities and queries.
  package var history = 0

  package init() {}

  package var total: Int {
    key + slot + valuePlaces + reverseIndex + queryIndex + persistence + history
  }
}

extension CacheStore {
  /// The tables' own count of their memory, at the allocator's size classes.
  ///
  /// O(queries). Excludes tables bounded by a few entries, or allocated for one commit only.
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

  /// Calls `body` with every value in the cache, in slot order; O(slots).
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
    // A deque does not expose its capacity.
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
  /// Includes a list for each scope; most queries have their own.
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
      // The bytes of its key's input.
      footprint.queryIndex += AllocationSize.array(capacity: record.key.input.count, stride: 1)
    }
    footprint.persistence += changes.allocatedBytes
    footprint.history += departed.allocatedBytes
  }
}

extension QueryDeadlines {
  var allocatedBytes: Int {
    // A heap does not expose its capacity; it doubles.
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
  /// The bytes of the marks of this many slots: they double.
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

/// The heap memory of values, if a store predicts it for all of them at once.
@usableFromInline package struct ValueMemory: Hashable, Sendable {
  /// The width of an optional value, in bytes; `nil`: that of the store's payload.
  @usableFromInline let stride: Int?
  /// The mean bytes on the heap per byte of a value's weight.
  @usableFromInline let bytesPerWeight: Double

  @usableFromInline package init(stride: Int? = nil, bytesPerWeight: Double) {
    self.stride = stride
    self.bytesPerWeight = bytesPerWeight
  }

  /// One byte per byte of weight: the default of a store.
  @usableFromInline package static let weight = ValueMemory(bytesPerWeight: 1)

  /// The heap bytes of values with this total weight.
  @inlinable package func bytes(of weight: Int) -> Int {
    Int(exactly: (Double(weight) * bytesPerWeight).rounded()) ?? .max
  }

  /// The weight of values with this many heap bytes.
  @inlinable func weight(in bytes: Int) -> Int {
    bytesPerWeight > 0
      ? Int(exactly: (Double(bytes) / bytesPerWeight).rounded(.down)) ?? .max : .max
  }
}
