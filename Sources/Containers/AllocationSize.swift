/// The bytes that an allocator with size classes uses for a request.
///
/// The classes are those of jemalloc, which our measurements use: 8, multiples of 16 up to 128, and from
/// there four per doubling. Other systems' allocators round differently, by about as much. Source: jemalloc's
/// manual, section "Implementation notes", table 1.
package enum AllocationSize {
  /// Returns the size class of a request.
  package static func rounded(_ bytes: Int) -> Int {
    guard bytes > 8 else { return bytes > 0 ? 8 : 0 }
    guard bytes > 128 else { return roundUp(bytes, to: 16) }
    let exponent = Int.bitWidth - 1 - (bytes - 1).leadingZeroBitCount
    return roundUp(bytes, to: 1 << (exponent - 2))
  }

  /// Returns the size of a class instance whose properties have this many bytes, after a header of 16.
  package static func object(holding bytes: Int) -> Int { rounded(16 + bytes) }

  /// Returns the size of an array's storage: a header of 32 bytes, then its elements; an empty one has none.
  package static func array(capacity: Int, stride: Int) -> Int {
    capacity == 0 ? 0 : rounded(arrayHeader + capacity * stride)
  }

  /// Returns the size of an array's storage after appending this many elements one at a time: a full array
  /// doubles, and uses its whole size class.
  package static func array(growingTo count: Int, stride: Int) -> Int {
    var bytes = 0
    var capacity = 0
    while capacity < count {
      bytes = array(capacity: max(1, 2 * capacity), stride: stride)
      capacity = (bytes - arrayHeader) / stride
    }
    return bytes
  }

  /// Returns the size of a hash table's storage: a header of 64 bytes, one bit and one slot per bucket, of
  /// which three quarters may be used.
  package static func hashTable(capacity: Int, stride: Int) -> Int {
    guard capacity > 0 else { return 0 }
    var buckets = 2
    while buckets * 3 / 4 < capacity { buckets *= 2 }
    return rounded(64 + max(buckets / 64, 1) * 8 + buckets * stride)
  }

  /// The header of an array's or a deque's storage.
  package static let arrayHeader = 32

  /// - Precondition: the step is a power of two.
  private static func roundUp(_ bytes: Int, to step: Int) -> Int {
    (bytes + step - 1) & ~(step - 1)
  }
}

extension Dictionary {
  /// The storage size at the allocator's size classes; it does not shrink; O(1).
  package var allocatedBytes: Int {
    AllocationSize.hashTable(
      capacity: capacity, stride: MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
  }
}

extension Set {
  /// The storage size at the allocator's size classes; it does not shrink; O(1).
  package var allocatedBytes: Int {
    AllocationSize.hashTable(capacity: capacity, stride: MemoryLayout<Element>.stride)
  }
}
