/// How long to wait before what failed is tried again.
@usableFromInline enum BackOff {
  /// A second, then twice as long after each further failure, up to a minute.
  ///
  /// - Parameter failures: how many there were before the last.
  /// - Returns: the pause after the last.
  @inlinable static func pause(after failures: Int) -> Duration {
    .seconds(min(1 << min(failures, 6), 60))
  }
}
