/// What a request for memory takes from an allocator with size classes, in bytes.
///
/// The classes are those of jemalloc, which counts in our measurements: 8, multiples of 16 up to 128,
/// and from there four to each doubling. An allocator of another system rounds otherwise, and by about
/// as much. Source: jemalloc's manual, section "Implementation notes", table 1.
package enum AllocationSize {
  /// The size class that serves a request.
  package static func rounded(_ bytes: Int) -> Int {
    guard bytes > 8 else { return bytes > 0 ? 8 : 0 }
    guard bytes > 128 else { return roundUp(bytes, to: 16) }
    let exponent = Int.bitWidth - 1 - (bytes - 1).leadingZeroBitCount
    return roundUp(bytes, to: 1 << (exponent - 2))
  }

  /// An object of a class whose value has this many bytes, after a header of 16.
  package static func object(holding bytes: Int) -> Int { rounded(16 + bytes) }

  /// An array's storage: a header of 32 bytes, then its elements; an empty one has none.
  package static func array(capacity: Int, stride: Int) -> Int {
    capacity == 0 ? 0 : rounded(arrayHeader + capacity * stride)
  }

  /// An array's storage after this many elements were appended, one at a time: when it is full it takes
  /// room for twice as many, and all that the size class has.
  package static func array(growingTo count: Int, stride: Int) -> Int {
    var bytes = 0
    var capacity = 0
    while capacity < count {
      bytes = array(capacity: max(1, 2 * capacity), stride: stride)
      capacity = (bytes - arrayHeader) / stride
    }
    return bytes
  }

  /// A hash table's storage: a header of 64 bytes, one bit and one place for each bucket, of which
  /// three quarters may be taken.
  package static func hashTable(capacity: Int, stride: Int) -> Int {
    guard capacity > 0 else { return 0 }
    var buckets = 2
    while buckets * 3 / 4 < capacity { buckets *= 2 }
    return rounded(64 + max(buckets / 64, 1) * 8 + buckets * stride)
  }

  /// What Swift keeps in front of an array's elements, as in front of a deque's.
  package static let arrayHeader = 32

  private static func roundUp(_ bytes: Int, to step: Int) -> Int {
    (bytes + step - 1) / step * step
  }
}

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
