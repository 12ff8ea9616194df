public import CPrefetch

/// Asks the processor for an element of an array that is about to be used, all of its lines at once, so
/// that it waits for all of them together and not for one after the other.
///
/// An index out of bounds asks for nothing.
@inlinable public func prefetchElement<Element>(_ index: Int, of array: [Element]) {
  array.withUnsafeBufferPointer { elements in
    guard let base = elements.baseAddress, elements.indices.contains(index) else { return }
    prefetchLines(of: base + index, bytes: MemoryLayout<Element>.size)
  }
}

/// The same for a piece of memory, which is not looked at.
@inlinable @inline(__always) func prefetchLines(of address: UnsafeRawPointer, bytes: Int) {
  var line = 0
  while line < bytes {
    tidemark_prefetch(address + line)
    line += 64
  }
}
