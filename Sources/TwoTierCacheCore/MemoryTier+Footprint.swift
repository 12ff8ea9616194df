import CacheFiles
import CacheModel
import Containers
import EvictionPolicies

extension MemoryTier {
  /// What the tables take, at the allocator's size classes, with the name of each value's file; O(1).
  ///
  /// Values are not in it, nor what keys point to.
  var tableBytes: Int {
    slots.allocatedBytes
      + AllocationSize.array(capacity: room, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Slot>.stride)
      + footprint.bytes(slots: room, first: Self.firstRoom)
      + AllocationSize.array(growingTo: use.count, stride: MemoryLayout<EvictionEntry>.stride)
      + count * AllocationSize.array(capacity: FileName.textBytes, stride: 1)
  }
}
