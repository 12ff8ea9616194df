import CacheFiles
import Containers

extension ResponseStore {
  /// What all tables take, at the allocator's size classes, with the name and the digest of each entry; O(1).
  ///
  /// Bodies are not in it, nor ETags and tags, nor what is being written.
  package var tableBytes: Int {
    AllocationSize.hashTable(
      capacity: slots.capacity, stride: MemoryLayout<Key>.stride + MemoryLayout<Int>.stride)
      + AllocationSize.array(growingTo: table.count, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Int>.stride)
      + implicit.tableBytes + memory.tableBytes
      + entryCount
      * (AllocationSize.array(capacity: FileName.textBytes, stride: 1)
        + AllocationSize.array(capacity: 4, stride: MemoryLayout<UInt64>.stride))
  }
}
