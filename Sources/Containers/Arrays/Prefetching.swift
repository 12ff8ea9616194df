public import CPrefetch

/// Prefetches an array element that is about to be used, with all of its cache lines at once, so that their
/// latencies overlap.
///
/// An index out of bounds has no effect.
@inlinable public func prefetchElement<Element>(_ index: Int, of array: [Element]) {
  array.withUnsafeBufferPointer { elements in
    guard let base = elements.baseAddress, elements.indices.contains(index) else { return }
    prefetchLines(of: base + index, bytes: MemoryLayout<Element>.size)
  }
}

/// Prefetches the lines of a memory range, without reading it.
@inlinable @inline(__always) func prefetchLines(of address: UnsafeRawPointer, bytes: Int) {
  var line = 0
  while line < bytes {
    tidemark_prefetch(address + line)
    line += 64
  }
}
