import CacheFiles
import CacheModel
import Containers
import EvictionPolicies

extension MemoryTier {
  /// What the tables take, at the allocator's size classes, with the name of each value's file; O(1).
  ///
  /// Values are not in it, nor what keys point to.
  var tableBytes: Int {
    AllocationSize.hashTable(
      capacity: slots.capacity, stride: MemoryLayout<Key>.stride + MemoryLayout<Slot>.stride)
      + AllocationSize.array(capacity: entries.capacity, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(capacity: vacated.capacity, stride: MemoryLayout<Slot>.stride)
      + footprint.bytes(slots: entries.capacity)
      + count * AllocationSize.array(capacity: FileName.textBytes, stride: 1)
  }
}
