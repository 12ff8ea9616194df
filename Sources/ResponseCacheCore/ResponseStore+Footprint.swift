import CacheFiles
import CacheModel
import Containers

extension ResponseStore {
  /// What the store and its tables take, at the allocator's size classes, with the name and the digest of each entry; O(1).
  ///
  /// A tagged entry counts as having one tag. Bodies are not in it, nor what is being written, nor the texts of ETags
  /// and tags of more than 15 bytes, which Swift keeps elsewhere. A header counts as its text, and 32 bytes for each field.
  package var tableBytes: Int { tablesOfEntries + memory.tableBytes }

  /// The same without the tables of bodies in memory.
  var tablesOfEntries: Int {
    AllocationSize.object(holding: MemoryLayout<Self>.size) + requests.tableBytes
      + slots.allocatedBytes
      + AllocationSize.array(growingTo: table.count, stride: MemoryLayout<Entry?>.stride)
      + AllocationSize.array(growingTo: vacated.count, stride: MemoryLayout<Int>.stride)
      + implicit.tableBytes + headerBytes
      + entryCount
      * (AllocationSize.array(capacity: FileName.textBytes, stride: 1)
        + AllocationSize.array(capacity: 4, stride: MemoryLayout<UInt64>.stride))
      + (entryCount - implicitCount)
      * AllocationSize.array(growingTo: 1, stride: MemoryLayout<TextKey>.stride)
  }

  /// Visits each body in memory, in O(n).
  package func forEachInMemory(_ visit: (Body) -> Void) { memory.forEach(visit) }
}
