import CPrefetch

extension Span where Element: BitwiseCopyable {
  /// Prefetches an element that will be read soon.
  @inline(__always) func prefetch(_ index: Int) {
    withUnsafeBufferPointer { elements in
      guard let base = elements.baseAddress else { return }
      // Nothing is read here, so an invalid index merely wastes a cache line.
      tidemark_prefetch(base + index)
    }
  }
}
