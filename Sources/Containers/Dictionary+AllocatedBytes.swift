extension Dictionary {
  /// What its storage takes, at the allocator's size classes; it stays as large as it has been; O(1).
  package var allocatedBytes: Int {
    AllocationSize.hashTable(
      capacity: capacity, stride: MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
  }
}

extension Set {
  /// What its storage takes, at the allocator's size classes; it stays as large as it has been; O(1).
  package var allocatedBytes: Int {
    AllocationSize.hashTable(capacity: capacity, stride: MemoryLayout<Element>.stride)
  }
}
