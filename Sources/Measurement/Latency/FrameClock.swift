package import CacheModel

/// The boundaries of a 60 Hz display, counted from an origin.
package struct FrameClock: Sendable {
  package static let periodNanoseconds: Int64 = 16_666_667
  package let origin: Instant

  package init(origin: Instant) {
    self.origin = origin
  }

  /// The first boundary after an instant; never the instant itself.
  package func boundary(after instant: Instant) -> Instant {
    let elapsed = instant.nanoseconds - origin.nanoseconds
    let frames = elapsed >= 0 ? elapsed / Self.periodNanoseconds + 1 : 0
    return origin.advanced(byNanoseconds: frames * Self.periodNanoseconds)
  }
}
