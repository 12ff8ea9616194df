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

@Suite("Frames of a run")
struct FrameHistoryTests {
  /// Frames of 10 ns; each is due, then began.
  private func history(_ frames: [(Int64, Int64)]) -> FrameHistory {
    var history = FrameHistory(clock: FrameClock(origin: .zero, period: 10))
    for (due, began) in frames {
      history.append(.init(due: Instant(nanoseconds: due), began: Instant(nanoseconds: began)))
    }
    return history
  }

  private func lateness(_ history: FrameHistory, _ instants: ClosedRange<Int64>) -> [Int64] {
    instants.map { history.lateness(after: Instant(nanoseconds: $0)) }
  }

  @Test("A change ready before a frame is late by as much as the frame")
  func late() {
    let history = history([(10, 12), (20, 20), (30, 35)])
    #expect(lateness(history, 0...9) == Array(repeating: 2, count: 10))
    #expect(lateness(history, 13...20) == Array(repeating: 0, count: 8))
    #expect(lateness(history, 21...29) == Array(repeating: 5, count: 9))
  }

  @Test("A frame that oversleeps draws later changes too, late by the missed time")
  func overslept() {
    let history = history([(10, 34), (40, 40)])
    #expect(lateness(history, 5...5) == [24])
    // Due at 20, drawn at 34; due at 30; and due at 40, drawn before that.
    #expect(lateness(history, 15...15) == [14])
    #expect(lateness(history, 25...25) == [4])
    #expect(lateness(history, 31...31) == [0])
  }

  @Test("A long drawing is not held against the machine, nor is the end of the run")
  func drawing() {
    // Drawing the first took until 47, so the frames between were never due.
    let history = history([(10, 10), (50, 51)])
    #expect(lateness(history, 15...15) == [1])
    #expect(lateness(history, 52...52) == [0])
    #expect(lateness(self.history([]), 1...1) == [0])
  }
}
