package import CacheModel

/// The boundaries of a display's frames, counted from an origin; of 60 in a second unless it is told.
package struct FrameClock: Sendable {
  package static let periodNanoseconds: Int64 = 16_666_667
  package let origin: Instant
  /// From one boundary to the next, in nanoseconds.
  package let period: Int64

  package init(origin: Instant, period: Int64 = Self.periodNanoseconds) {
    precondition(period > 0, "frames of \(period) ns have no end")
    self.origin = origin
    self.period = period
  }

  /// The clock of a display that draws so many frames in a second.
  package init(origin: Instant, framesPerSecond: Int) {
    self.init(
      origin: origin,
      period: framesPerSecond == 60
        ? Self.periodNanoseconds : 1_000_000_000 / Int64(framesPerSecond))
  }

  /// The first boundary after an instant; never the instant itself.
  package func boundary(after instant: Instant) -> Instant {
    let elapsed = instant.nanoseconds - origin.nanoseconds
    let frames = elapsed >= 0 ? elapsed / period + 1 : 0
    return origin.advanced(byNanoseconds: frames * period)
  }
}
