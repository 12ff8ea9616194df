import CacheModel
import Testing

@testable import RealTime

@Suite("The screen")
struct ScreenTests {
  private let library = FileLibrary(directories: 3, filesPerDirectory: 1, seed: 1)

  private func event(_ sequence: UInt64) -> Screen.Waiting {
    let at = Instant(nanoseconds: Int64(sequence))
    return .init(
      stamps: PipelineStamps(
        client: EventStamps(
          intended: at, received: at, started: at, decoded: at, committed: at, notified: at),
        sent: at, published: at, frameBegan: at, drawn: at), sequence: sequence)
  }

  @Test("A frame draws each changed query once, and belongs to every event before it")
  func frames() {
    let screen = Screen()
    let keys = library.queryKeys
    #expect(screen.isIdle)
    for (sequence, directory) in [(1, 2), (2, 0), (3, 2)] {
      screen.mark(keys[directory])
      screen.expect(event(UInt64(sequence)))
    }
    #expect(!screen.isIdle)
    let frame = screen.take()
    #expect(frame.changed == [keys[2], keys[0]])
    #expect(frame.events.map(\.sequence) == [1, 2, 3])
    #expect(screen.isIdle && screen.drawnCount == 0)
    screen.mark(keys[2])
    screen.expect(event(4))
    screen.finish(
      frame.events, began: Instant(nanoseconds: 20), drawn: Instant(nanoseconds: 25), checksum: 1)
    #expect(screen.drawn.map(\.sequence) == [1, 2, 3])
    #expect(screen.drawn.allSatisfy { $0.stamps.drawn.nanoseconds == 25 })
    #expect(screen.take().changed == [keys[2]])
  }

  @Test("A display of 120 Hz has frames of half the length")
  func frameRates() {
    let clock = FrameClock(origin: .zero, framesPerSecond: 120)
    #expect(clock.boundary(after: Instant(nanoseconds: 1)).nanoseconds == 8_333_333)
    let usual = FrameClock(origin: .zero, framesPerSecond: 60)
    #expect(usual.period == FrameClock.periodNanoseconds)
  }
}
