/// A growable array with one owner that grows by a segment at a time and never moves its elements.
///
/// ``Fixed`` is faster by one load per access, but its growth copies everything, which is a stall in
/// proportion to its size; this is for tables that grow in the path of an event. Elements may be of
/// any type; bounds are always checked.
public struct Column<Element>: ~Copyable {
  @usableFromInline var segments: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
  @usableFromInline var segmentCount = 0
  /// How many segments there is room to name.
  @usableFromInline var segmentRoom = 16
  @usableFromInline var elementCount = 0
  /// What new places hold, behind a pointer: where an element is stored in the structure itself, and
  /// is of a plain type, Swift 6.3.1 calls no `deinit` from other files in debug builds.
  @usableFromInline let filler: UnsafeMutablePointer<Element>

  @inlinable @inline(__always) static var shift: Int { 8 }
  /// How many elements a segment has.
  @inlinable @inline(__always) static var segmentLength: Int { 1 << shift }

  /// Makes an empty column.
  ///
  /// - Parameter filler: what new places hold.
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

  /// How many elements there are: whole segments.
  @inlinable public var count: Int { elementCount }

  /// What the column takes from the allocator.
  package var allocatedBytes: Int {
    Self.allocatedBytes(
      segments: segmentCount, segmentRoom: segmentRoom, stride: MemoryLayout<Element>.stride)
  }

  /// The memory of a column that has grown to this many elements.
  ///
  /// - Parameters:
  ///   - elements: how many places were ever asked for.
  ///   - stride: the width of an element, where it is another than this column's.
  /// - Returns: bytes, had it grown one element at a time.
  package static func allocatedBytes(
    elements: Int, stride: Int = MemoryLayout<Element>.stride
  ) -> Int {
    let segments = (elements + segmentLength - 1) / segmentLength
    var room = 16
    while room < segments { room *= 2 }
    return allocatedBytes(segments: segments, segmentRoom: room, stride: stride)
  }

  private static func allocatedBytes(segments: Int, segmentRoom: Int, stride: Int) -> Int {
    // A pointer is as wide as a word.
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

  /// Calls `body` with the value in a place that has one, where it lies: a copy of it counts references
  /// to all that it holds, and the way through an optional makes one.
  ///
  /// - Parameters:
  ///   - slot: the place.
  ///   - body: called at most once; it must not change the column.
  /// - Returns: what `body` returned; `nil` if there is no value.
  /// - Throws: what `body` throws.
  @inlinable @inline(__always) public func withValue<Value, Result, Failure: Error>(
    at slot: Slot, _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? where Element == Value? {
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    let place = segments[index &>> Self.shift] + (index & (Self.segmentLength - 1))
    guard place.pointee != nil else { return nil }
    // An optional keeps its value at its start, as it is.
    let value = UnsafeMutableRawPointer(place).assumingMemoryBound(to: Value.self)
    return try body(value.pointee)
  }

  /// Exchanges the value in a place that has one for another, neither of which is copied.
  ///
  /// - Parameters:
  ///   - slot: the place.
  ///   - value: what it is to have; then what it had.
  @inlinable @inline(__always) public mutating func exchangeValue<Value>(
    at slot: Slot, for value: inout Value
  ) where Element == Value? {
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    let place = segments[index &>> Self.shift] + (index & (Self.segmentLength - 1))
    precondition(place.pointee != nil, "the place has no value to exchange")
    // An optional keeps its value at its start, as it is.
    let held = UnsafeMutableRawPointer(place).assumingMemoryBound(to: Value.self)
    swap(&held.pointee, &value)
  }

  /// Calls `body` with the value in a place that has one, where it lies; see ``InPlace``.
  ///
  /// - Parameters:
  ///   - slot: the place.
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

  /// Asks the processor for an element that is about to be used, if it is larger than one line of its
  /// cache: smaller ones are there before the hint would be.
  @inlinable public func prefetch(_ slot: Slot) {
    guard MemoryLayout<Element>.size > 64 else { return }
    let index = Int(slot)
    precondition(
      UInt(bitPattern: index) < UInt(bitPattern: elementCount), "index out of range")
    prefetchLines(
      of: segments[index &>> Self.shift] + (index & (Self.segmentLength - 1)),
      bytes: MemoryLayout<Element>.size)
  }

  /// Makes `count` at least `minimum`; O(new places).
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
    // On a line of the processor's cache, so that an element of a line's size touches one.
    let segment = UnsafeMutableRawPointer.allocate(
      byteCount: Self.segmentLength * MemoryLayout<Element>.stride, alignment: 64
    ).initializeMemory(as: Element.self, repeating: filler.pointee, count: Self.segmentLength)
    (segments + segmentCount).initialize(to: segment)
    segmentCount += 1
    elementCount += Self.segmentLength
  }
}
