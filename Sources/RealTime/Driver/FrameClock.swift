package import CacheModel

/// The boundaries of a display's frames, counted from an origin; by default 60 per second.
package struct FrameClock: Sendable {
  package static let periodNanoseconds: Int64 = 16_666_667
  package let origin: Instant
  /// The time between boundaries, in nanoseconds.
  package let period: Int64

  package init(origin: Instant, period: Int64 = Self.periodNanoseconds) {
    precondition(period > 0, "frames of \(period) ns have no end")
    self.origin = origin
    self.period = period
  }

  /// Creates the clock of a display with this frame rate.
  package init(origin: Instant, framesPerSecond: Int) {
    self.init(
      origin: origin,
      period: framesPerSecond == 60
        ? Self.periodNanoseconds : 1_000_000_000 / Int64(framesPerSecond))
  }

  /// Returns the first boundary after an instant, never the instant itself.
  package func boundary(after instant: Instant) -> Instant {
    let elapsed = instant.nanoseconds - origin.nanoseconds
    let frames = elapsed >= 0 ? elapsed / period + 1 : 0
    return origin.advanced(byNanoseconds: frames * period)
  }
}

/// The due times and start times of the frames of a run.
///
/// A frame task sleeps until a frame is due, so its delays are caused by the machine, not by its drawing.
struct FrameHistory: Sendable {
  struct Frame: Hashable, Sendable {
    var due: Instant
    var began: Instant
  }

  let clock: FrameClock
  /// The frames in order.
  private(set) var frames: [Frame] = []

  mutating func append(_ frame: Frame) { frames.append(frame) }

  /// Returns the delay of drawing something that was ready at an instant, relative to a punctual display, in
  /// nanoseconds; 0 after the last frame.
  func lateness(after instant: Instant) -> Int64 {
    // Binary search for the first frame that had not started.
    var (low, high) = (0, frames.count)
    while low < high {
      let middle = (low + high) / 2
      if frames[middle].began < instant { low = middle + 1 } else { high = middle }
    }
    guard low < frames.count else { return 0 }
    let frame = frames[low]
    // A frame that was due before and started late draws it as well, instead of the frames that it missed.
    let due = frame.due <= instant ? clock.boundary(after: instant) : frame.due
    return max(frame.began.nanoseconds - due.nanoseconds, 0)
  }
}
