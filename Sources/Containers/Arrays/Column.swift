/// A growable array with one owner that grows by a segment at a time and never moves its elements.
///
/// ``Fixed`` is faster by one load per access, but its growth copies everything, a pause proportional to its
/// size; this type is for tables that grow while an event is applied. Elements may be of any type; bounds are
/// always checked.
public struct Column<Element>: ~Copyable {
  @usableFromInline var segments: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  @usableFromInline var segmentCount = 0
  /// The number of segments that fit in the directory.
  @usableFromInline var segmentRoom = 16
  @usableFromInline var elementCount = 0
  /// The value of new slots, behind a pointer: if an element of a plain type is stored in the structure
  /// itself, Swift 6.3.1 calls no `deinit` from other files in debug builds.
  @usableFromInline let filler: UnsafeMutablePointer<Element>

  @inlinable @inline(__always) static var shift: Int { 8 }
  /// The number of elements per segment.
  @inlinable @inline(__always) static var segmentLength: Int { 1 << shift }

  /// Creates an empty column.
  ///
  /// - Parameter filler: the value of new slots.
  @inlinable public init(filler: Element) {
    segments = .allocate(capacity: 16)
    self.filler = .allocate(capacity: 1)
    self.filler.initialize(to: filler)
  }

  @inlinable deinit {
    for index in 0..<segmentCount {
      UnsafeMutableRawPointer(segments[index].deinitialize(count: Self.segmentLength))
        .deallocate()
    }
    segments.deallocate()
    filler.deinitialize(count: 1)
    filler.deallocate()
  }

  /// The number of elements: whole segments.
  @inlinable public var count: Int { elementCount }

  /// The heap memory of the column, in bytes.
  package var allocatedBytes: Int {
    Self.allocatedBytes(
      segments: segmentCount, segmentRoom: segmentRoom, stride: MemoryLayout<Element>.stride)
  }

  /// Returns the memory of a column that has grown to this many elements.
  ///
  /// - Parameters:
  ///   - elements: the maximum number of elements so far.
  ///   - stride: the width of an element, if different from this column's.
  /// - Returns: bytes, after growing one element at a time.
  package static func allocatedBytes(
    elements: Int, stride: Int = MemoryLayout<Element>.stride
  ) -> Int {
    let segments = (elements + segmentLength - 1) / segmentLength
    var room = 16
    while room < segments { room *= 2 }
    return allocatedBytes(segments: segments, segmentRoom: room, stride: stride)
  }

  private static func allocatedBytes(segments: Int, segmentRoom: Int, stride: Int) -> Int {
    // A pointer has the width of a word.
    AllocationSize.rounded(segmentRoom * MemoryLayout<Int>.stride)
      + AllocationSize.rounded(stride) + segments * AllocationSize.rounded(segmentLength * stride)
  }

  @inlinable public subscript(index: Int) -> Element {
    @inline(__always) _read {
      precondition(
        UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
      yield segments[index &>> Self.shift][index & (Self.segmentLength - 1)]
    }
    @inline(__always) _modify {
      precondition(
        UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
      yield &segments[index &>> Self.shift][index & (Self.segmentLength - 1)]
    }
  }

  @inlinable public subscript(slot: Slot) -> Element {
    @inline(__always) _read { yield self[Int(slot)] }
    @inline(__always) _modify { yield &self[Int(slot)] }
  }

  /// Calls `body` with the value of a non-empty slot in place: a copy would count references to everything in
  /// it, and binding an optional makes one.
  ///
  /// - Parameters:
  ///   - slot: the slot.
  ///   - body: called at most once; it must not change the column.
  /// - Returns: the result of `body`; `nil` if there is no value.
  /// - Throws: the error of `body`.
  @inlinable @inline(__always) public func withValue<Value, Result, Failure: Error>(
    at slot: Slot, _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? where Element == Value? {
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    let place = segments[index &>> Self.shift] + (index & (Self.segmentLength - 1))
    guard place.pointee != nil else { return nil }
    // An optional stores its value at its start.
    let value = UnsafeMutableRawPointer(place).assumingMemoryBound(to: Value.self)
    return try body(value.pointee)
  }

  /// Exchanges the value of a non-empty slot for another, without copying either.
  ///
  /// - Parameters:
  ///   - slot: the slot.
  ///   - value: the new value; afterwards the previous one.
  @inlinable @inline(__always) public mutating func exchangeValue<Value>(
    at slot: Slot, for value: inout Value
  ) where Element == Value? {
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    let place = segments[index &>> Self.shift] + (index & (Self.segmentLength - 1))
    precondition(place.pointee != nil, "the place has no value to exchange")
    // An optional stores its value at its start.
    let held = UnsafeMutableRawPointer(place).assumingMemoryBound(to: Value.self)
    swap(&held.pointee, &value)
  }

  /// Calls `body` with the value of a non-empty slot in place; see ``InPlace``.
  ///
  /// - Parameters:
  ///   - slot: the slot.
  ///   - body: called at most once; it must not change the column.
  @inlinable @inline(__always) public func lendValue<Value>(
    at slot: Slot, _ body: (borrowing InPlace<Value>) -> Void
  ) where Element == Value? {
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    let place = segments[index &>> Self.shift] + (index & (Self.segmentLength - 1))
    guard place.pointee != nil else { return }
    let value = UnsafeMutableRawPointer(place).assumingMemoryBound(to: InPlace<Value>.self)
    body(value.pointee)
  }

  /// Prefetches an element that is about to be used, if it is larger than one cache line: smaller ones arrive
  /// before a hint would help.
  @inlinable public func prefetch(_ slot: Slot) {
    guard MemoryLayout<Element>.size > 64 else { return }
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    prefetchLines(
      of: segments[index &>> Self.shift] + (index & (Self.segmentLength - 1)),
      bytes: MemoryLayout<Element>.size)
  }

  /// Increases `count` to at least `minimum`; O(new slots).
  @inlinable public mutating func grow(toAtLeast minimum: Int) {
    while count < minimum { addSegment() }
  }

  @inlinable mutating func addSegment() {
    if segmentCount == segmentRoom {
      let replacement = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(
        capacity: segmentRoom * 2)
      replacement.initialize(from: segments, count: segmentCount)
      segments.deallocate()
      segments = replacement
      segmentRoom *= 2
    }
    // Aligned to a cache line, so that an element of that size touches one.
    let segment = UnsafeMutableRawPointer.allocate(
      byteCount: Self.segmentLength * MemoryLayout<Element>.stride, alignment: 64
    ).initializeMemory(as: Element.self, repeating: filler.pointee, count: Self.segmentLength)
    (segments + segmentCount).initialize(to: segment)
    segmentCount += 1
    elementCount += Self.segmentLength
  }
}
