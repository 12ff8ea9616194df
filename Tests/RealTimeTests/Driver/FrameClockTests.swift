import CacheModel
import Testing

@testable import RealTime

@Suite("Frames")
struct FrameClockTests {
  static let period = FrameClock.periodNanoseconds

  /// Nanoseconds since the origin, and frames until the boundary that follows.
  static let cases: [(elapsed: Int64, frames: Int64)] = [
    (-5 * period, 0), (-1, 0), (0, 1), (1, 1), (period - 1, 1), (period, 2), (59 * period + 7, 60),
  ]

  @Test("The boundary is the first one after the instant", arguments: cases)
  func boundaries(elapsed: Int64, frames: Int64) {
    let origin = Instant(nanoseconds: 1_000_000)
    #expect(
      FrameClock(origin: origin).boundary(after: origin.advanced(byNanoseconds: elapsed))
        == origin.advanced(byNanoseconds: frames * Self.period))
  }

  @Test("Sixty frames are a second, to a microsecond")
  func rate() {
    #expect(abs(Self.period * 60 - 1_000_000_000) < 1_000)
  }
}
