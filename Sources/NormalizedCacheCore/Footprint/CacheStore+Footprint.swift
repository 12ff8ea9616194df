import CacheModel
import Containers
import EvictionPolicies

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
