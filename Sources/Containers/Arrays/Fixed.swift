import CPrefetch

/// A growable array of plain values with one owner: no uniqueness check per write, no reference
/// counting, bounds always checked.
///
/// One of the few types with unsafe memory; all are in this folder.
public struct Fixed<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  @usableFromInline var capacity: Int

  /// The number of elements.
  @inlinable public var count: Int { capacity }

  @inlinable public init(repeating element: Element, count: Int) {
    base = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
    base.initialize(repeating: element, count: count)
    capacity = count
  }

  @inlinable deinit {
    base.deallocate()
  }

  /// The heap memory of the array, in bytes.
  package var allocatedBytes: Int {
    AllocationSize.rounded(max(capacity, 1) * MemoryLayout<Element>.stride)
  }

  @inlinable public subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return base[index]
    }
    @inline(__always) set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      base[index] = newValue
    }
  }

  @inlinable public subscript(slot: Slot) -> Element {
    @inline(__always) get { self[Int(slot)] }
    @inline(__always) set { self[Int(slot)] = newValue }
  }

  /// Prefetches an element; any index is allowed.
  @inline(__always) package func prefetch(_ index: Int) { tidemark_prefetch(base + index) }

  /// Increases `count` to at least `minimum`, filling new elements; doubles, so growth is amortised O(1).
  @inlinable public mutating func grow(toAtLeast minimum: Int, filling element: Element) {
    guard minimum > count else { return }
    let grown = max(minimum, count * 2)
    let replacement = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    replacement.initialize(from: base, count: count)
    (replacement + count).initialize(repeating: element, count: grown - count)
    base.deallocate()
    base = replacement
    capacity = grown
  }
}
