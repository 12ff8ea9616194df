public import CacheModel
import Containers
import EvictionPolicies

/// Predicts a cache's heap memory from counts alone.
///
///     bytes = values
///           + Σ entities (key, slot, place of the value, links of the order)
///           + Σ listed entities (reverse index, place in the list)
///           + Σ queries (state, key, finding it)
///           + Σ departed queries and tombstones that are remembered
///           + Σ observers (callback, finding those of a query)
///           + Σ changes that wait for a storage
///           + the sketch of an admission, and what it knows of each entity
///
/// Widths are those of the declared types on the current platform. The spare capacity of a table follows from
/// its growth: a column by 256 slots at a time, arrays and hash tables by doubling, each request rounded to
/// the allocator's size class. Only orders with more than one list have measured widths (see
/// ``OrderFootprint``). Excluded are temporary allocations of one commit, fetch or write, and the memory
/// behind observers' callbacks, which is the app's.
///
/// A test compares it with the tables' own count, so it detects a new column that is missing here. A store
/// with a memory limit enforces it by this prediction.
@usableFromInline package struct MemoryModel: Sendable {
  private let order: OrderFootprint
  private let admission: AdmissionFootprint
  private let polls: Bool
  /// The width of a value, in bytes.
  private let valueStride: Int
  private let queryStride: Int
  private let observerStride: Int
  private let observedStride: Int

  /// - Parameters:
  ///   - composition: the policy, for its eviction order.
  ///   - schema: the store's schema.
  ///   - valueStride: the width of an optional value, in bytes; `nil`: the schema's own.
  @usableFromInline package init<Schema: CacheSchema>(
    of composition: CachePolicy, schema: Schema.Type, valueStride: Int? = nil
  ) {
    order = OrderFootprint(named: composition.evictionOrder)
    admission = AdmissionFootprint(of: composition)
    polls = composition.pollInterval != nil
    self.valueStride = valueStride ?? MemoryLayout<Schema.Payload?>.stride
    queryStride = MemoryLayout<QueryRecord<Schema.Predicate>>.stride
    observerStride = Self.observerStride
    observedStride = Self.observedStride
  }

  /// The bytes of an observer in the actor's table: its identifier, callback and stream.
  package static var observerStride: Int {
    MemoryLayout<(UInt64, @Sendable () -> Void, AnyObject?)>.stride
  }

  /// The bytes of an observed query in that table: its key and observers.
  package static var observedStride: Int { MemoryLayout<(QueryKey, [AnyObject])>.stride }

  /// The bytes of an entity that one query lists, without its value.
  @usableFromInline var bytesPerPlace: Int {
    func bytes(_ places: Int) -> Int {
      var counts = StoreCounts()
      counts.slots = places
      counts.listings = places
      counts.queryPlaces = 1
      return self.bytes(of: counts, valueBytes: 0)
    }
    return (bytes(65_536) - bytes(32_768)) / 32_768
  }

  /// Predicts the memory of a store with these counts, in bytes.
  @usableFromInline package func bytes(of counts: StoreCounts, valueBytes: Int) -> Int {
    valueBytes + key(counts) + slot(counts)
      + Column<Int>.allocatedBytes(elements: counts.slots, stride: valueStride)
      + order.bytes(slots: counts.slots) + admission.bytes(slots: counts.slots)
      + reverseIndex(counts) + queryIndex(counts) + history(counts)
      + observers(counts) + persistence(counts)
  }

  func key(_ counts: StoreCounts) -> Int { indexBytes(counts.slots) }

  func slot(_ counts: StoreCounts) -> Int {
    Column<EntityRecord>.allocatedBytes(elements: counts.slots)
      + SlotList.allocatedBytes(slots: counts.probationSlots)
      + (counts.heldSlots > 0 ? SlotList.allocatedBytes(slots: counts.heldSlots) : 0)
  }

  func reverseIndex(_ counts: StoreCounts) -> Int {
    Column<Listing>.allocatedBytes(elements: counts.listings)
      + Column<IndexedListing>.allocatedBytes(elements: counts.indexedListings)
      + indexBytes(counts.indexedListings)
  }

  /// The bytes of a ``SlotIndex``: buckets split one at a time, from 16 on, so there are as many as slots.
  private func indexBytes(_ places: Int) -> Int {
    Column<Slot>.allocatedBytes(elements: max(places, 16))
      + Column<Slot>.allocatedBytes(elements: places)
  }

  func queryIndex(_ counts: StoreCounts) -> Int {
    let index = MemoryLayout<Int32>.stride
    let places = counts.queryPlaces
    guard places > 0 else { return 3 * SlotList.allocatedBytes(slots: 0) }
    let listed = counts.listings / places
    let input = counts.queries > 0 ? counts.inputBytes / counts.queries : 0
    return AllocationSize.array(capacity: doubled(places), stride: queryStride)
      + AllocationSize.hashTable(capacity: places, stride: MemoryLayout<QueryKey>.stride + index)
      // Most queries have their own scope.
      + Column<ScopeRecord>.allocatedBytes(elements: places) + indexBytes(places)
      + 3 * SlotList.allocatedBytes(slots: places)
      + AllocationSize.array(
        capacity: doubled(places),
        stride: MemoryLayout<QueryDeadlines.Deadline>.stride + MemoryLayout<Int64>.stride)
      + counts.queries
      * (AllocationSize.array(capacity: 1, stride: index)
        + AllocationSize.array(capacity: input, stride: 1))
      + places * AllocationSize.array(capacity: listed, stride: MemoryLayout<Slot>.stride)
      + (polls
        ? AllocationSize.array(
          capacity: doubled(places),
          stride: MemoryLayout<QueryDeadlines.Deadline>.stride + 2 * MemoryLayout<Int64>.stride)
        : 0)
  }

  func history(_ counts: StoreCounts) -> Int {
    let key = MemoryLayout<QueryKey>.stride
    let departed = counts.departedQueries
    let input = counts.queries > 0 ? counts.inputBytes / counts.queries : 0
    return AllocationSize.hashTable(
      capacity: departed, stride: key + MemoryLayout<ReadOutcome>.stride)
      + AllocationSize.array(capacity: departed, stride: key)
      + departed * AllocationSize.array(capacity: input, stride: 1)
      + AllocationSize.array(capacity: counts.tombstones, stride: MemoryLayout<Tombstone>.stride)
  }

  /// The bytes of the actor's observer table: a number and a list for each observed query.
  package func observers(_ counts: StoreCounts) -> Int {
    guard counts.observers > 0 else { return 0 }
    let queries = max(counts.observedQueries, 1)
    let each = (counts.observers + queries - 1) / queries
    let number = MemoryLayout<Int32>.stride
    return AllocationSize.hashTable(
      capacity: queries, stride: MemoryLayout<QueryKey>.stride + number)
      + AllocationSize.array(growingTo: queries, stride: observedStride)
      + queries * AllocationSize.array(growingTo: each, stride: observerStride)
  }

  /// The bytes of the record of unwritten changes: a mark for each slot, the marked slots, and the removed
  /// keys.
  func persistence(_ counts: StoreCounts) -> Int {
    guard counts.isPersistent else { return 2 * ChangeLog<EntityKey>.allocatedBytes(places: 0) }
    let place = MemoryLayout<Int32>.stride
    func list(_ count: Int, stride: Int) -> Int {
      AllocationSize.array(growingTo: count, stride: stride)
    }
    return ChangeLog<EntityKey>.allocatedBytes(places: counts.slots)
      + ChangeLog<QueryKey>.allocatedBytes(places: counts.queryPlaces)
      + list(counts.changedSlots, stride: place) + list(counts.changedQueries, stride: place)
      + list(counts.removedEntities, stride: MemoryLayout<EntityKey>.stride)
      + list(counts.removedQueries, stride: MemoryLayout<QueryKey>.stride)
  }

  private func doubled(_ count: Int) -> Int {
    var room = 1
    while room < count { room *= 2 }
    return room
  }
}

/// The memory of an admission filter, by the number of entity slots.
///
/// Zero if everything is admitted, or if arrivals are on probation, which is a list of the store.
struct AdmissionFootprint: Sendable {
  private let descriptor: AdmissionPolicyDescriptor?
  private let capacity: Int?

  init(of composition: CachePolicy) {
    descriptor = AdmissionPolicies.named(composition.admission).flatMap { $0.mayReject ? $0 : nil }
    capacity = CapacityLimits(composition.capacity).orderCapacity
  }

  func bytes(slots: Int) -> Int {
    descriptor?.allocatedBytes(slots: slots, capacity: capacity) ?? 0
  }
}

extension CacheStore {
  /// The bytes of the eviction order and the admission filter, by their kind; O(1).
  package var orderBytes: Int {
    OrderFootprint(named: composition.evictionOrder).bytes(slots: counts.slots)
      + AdmissionFootprint(of: composition).bytes(slots: counts.slots)
  }
}
