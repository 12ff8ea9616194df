import CPrefetch

extension Span where Element: BitwiseCopyable {
  /// Asks for the memory of an element that will be read soon.
  @inline(__always) func prefetch(_ index: Int) {
    withUnsafeBufferPointer { elements in
      guard let base = elements.baseAddress else { return }
      // Nothing is read here, so the worst that a bad index does is to waste a cache line.
      tidemark_prefetch(base + index)
    }
  }
}
