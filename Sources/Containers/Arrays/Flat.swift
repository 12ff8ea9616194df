public import CPrefetch

/// A growable array of plain values with one owner, for the loops that determine the speed of a replay:
/// bounds are checked in debug builds, which the tests run, but not in release builds.
///
/// Otherwise the same as ``Fixed``. Use it only for indices known to be valid: slots checked by
/// ``PolicyOrder`` or assigned by the replay's driver, and positions that its owner has stored. Never for
/// external input.
@usableFromInline package struct Flat<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  @usableFromInline package internal(set) var count: Int

  @inlinable package init(repeating element: Element, count: Int) {
    base = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  @inlinable deinit {
    base.deallocate()
  }

  /// Returns the bytes of an array that has grown from empty to this many elements, one at a time.
  package static func allocatedBytes(growingTo elements: Int) -> Int {
    var count = min(elements, 1)
    while count < elements { count = max(count + 1, count + count / 2) }
    return AllocationSize.rounded(max(count, 1) * MemoryLayout<Element>.stride)
  }

  @inlinable package subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      return base[index]
    }
    // Addressed in place, so that a field of an element is written without reading the rest.
    @inline(__always) nonmutating _modify {
      assert(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      yield &base[index]
    }
  }

  @inlinable package subscript(slot: Slot) -> Element {
    @inline(__always) get { self[Int(slot)] }
    @inline(__always) nonmutating _modify { yield &self[Int(slot)] }
  }

  /// Prefetches an element; any index is allowed.
  @inlinable @inline(__always) package func prefetch(_ index: Int) {
    tidemark_prefetch(base + index)
  }

  /// Increases `count` to exactly `minimum` if it is less, filling new elements.
  ///
  /// O(n); grows by at least half: amortised O(1) per element.
  @inlinable package mutating func grow(toAtLeast minimum: Int, filling element: Element) {
    guard minimum > count else { return }
    // The first size is exact: a replay knows it, and needs no more.
    let grown = count == 0 ? minimum : max(minimum, count + count / 2)
    let replacement = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    replacement.initialize(from: base, count: count)
    (replacement + count).initialize(repeating: element, count: grown - count)
    base.deallocate()
    base = replacement
    count = grown
  }
}
