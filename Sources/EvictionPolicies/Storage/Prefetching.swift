import CPrefetch

/// Asks the processor for every line of a piece of memory that is about to be used, so that it waits for
/// all of them together and not for one after the other.
///
/// - Parameters:
///   - address: where it begins.
///   - bytes: how long it is.
public func prefetchLines(of address: UnsafeRawPointer, bytes: Int) {
  var line = 0
  while line < bytes {
    tidemark_prefetch(address + line)
    line += 64
  }
}
