public import CPrefetch

/// A growable array of plain values with one owner, for the loops that decide how fast a replay is:
/// bounds are checked in debug builds, which the tests run, and not in release builds.
///
/// Differs from ``Fixed`` in that alone. So it is for indices that are known to be good: slots that
/// passed the door of ``PolicyOrder`` or were given out by the replay's driver, and places that its
/// owner has itself stored. Never for what comes from outside.
@usableFromInline package struct Flat<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  /// How many elements there are.
  @usableFromInline package internal(set) var count: Int

  @inlinable package init(repeating element: Element, count: Int) {
    base = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  @inlinable deinit {
    base.deallocate()
  }

  /// The memory, in bytes, of an array that was empty and has grown to this many elements, one at a time.
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
    // Addressed in place, so that a field of an element is written without the rest of it.
    @inline(__always) nonmutating _modify {
      assert(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
      yield &base[index]
    }
  }

  @inlinable package subscript(slot: Slot) -> Element {
    @inline(__always) get { self[Int(slot)] }
    @inline(__always) nonmutating _modify { yield &self[Int(slot)] }
  }

  /// Asks for the memory of an element that will be used soon; any index will do.
  @inlinable @inline(__always) package func prefetch(_ index: Int) {
    tidemark_prefetch(base + index)
  }

  /// Makes `count` exactly `minimum` if it is less, filling new places.
  ///
  /// O(n) where it grows by half or more, and at least by half: amortised O(1) per place.
  @inlinable package mutating func grow(toAtLeast minimum: Int, filling element: Element) {
    guard minimum > count else { return }
    // The first size is the one that is asked for: a replay knows it, and wants no more.
    let grown = count == 0 ? minimum : max(minimum, count + count / 2)
    let replacement = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    replacement.initialize(from: base, count: count)
    (replacement + count).initialize(repeating: element, count: grown - count)
    base.deallocate()
    base = replacement
    count = grown
  }
}
