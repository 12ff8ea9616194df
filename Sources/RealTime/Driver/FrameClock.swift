package import CacheModel

/// The boundaries of a display's frames, counted from an origin; by default 60 in a second.
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

  /// The clock of a display that draws this many frames in a second.
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

/// The frames of a run: when each was due and when it began.
///
/// A frame task sleeps until a frame is due, so what it is late by is the machine's doing, and none of
/// what it draws.
struct FrameHistory: Sendable {
  struct Frame: Hashable, Sendable {
    var due: Instant
    var began: Instant
  }

  let clock: FrameClock
  /// In order.
  private(set) var frames: [Frame] = []

  mutating func append(_ frame: Frame) { frames.append(frame) }

  /// By how much later than on a punctual display something was drawn that was ready at an instant, in
  /// nanoseconds; 0 after the last frame.
  func lateness(after instant: Instant) -> Int64 {
    // The first frame that had not begun: binary search.
    var (low, high) = (0, frames.count)
    while low < high {
      let middle = (low + high) / 2
      if frames[middle].began < instant { low = middle + 1 } else { high = middle }
    }
    guard low < frames.count else { return 0 }
    let frame = frames[low]
    // One that was due before and overslept draws it too, in place of the frames that it missed.
    let due = frame.due <= instant ? clock.boundary(after: instant) : frame.due
    return max(frame.began.nanoseconds - due.nanoseconds, 0)
  }
}
