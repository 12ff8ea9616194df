import CacheModel
import Testing

@Suite("Instant")
struct InstantTests {
  @Test("moves by durations, to the nanosecond")
  func advance() {
    let instant = Instant(nanoseconds: 5)
    #expect(instant.advanced(by: .milliseconds(2)).nanoseconds == 2_000_005)
    #expect(instant.advanced(by: .nanoseconds(-6)).nanoseconds == -1)
    #expect(instant.duration(to: Instant(nanoseconds: 12)) == .nanoseconds(7))
    #expect(Instant.zero < instant && instant < .distantFuture)
  }

  @Test("clamps at the ends of its range")
  func clamp() {
    #expect(Instant.distantFuture.advanced(byNanoseconds: 1) == .distantFuture)
    #expect(Instant(nanoseconds: .min).advanced(byNanoseconds: -1).nanoseconds == .min)
    #expect(Instant.zero.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(Instant.zero.advanced(by: .seconds(Int64.min)).nanoseconds == .min)
  }

  @Test("a duration between far instants clamps")
  func farApart() {
    let past = Instant(nanoseconds: .min)
    #expect(past.duration(to: .distantFuture) == .nanoseconds(Int64.max))
    #expect(Instant.distantFuture.duration(to: past) == .nanoseconds(Int64.min))
    #expect(Instant.zero.duration(to: Instant(nanoseconds: -3)) == .nanoseconds(-3))
  }

  @Test("whole nanoseconds of a duration are truncated towards zero and clamped")
  func wholeNanoseconds() {
    #expect(Duration.seconds(3).wholeNanoseconds == 3_000_000_000)
    let half = Duration(secondsComponent: 0, attosecondsComponent: 1_500_000_000)
    #expect(half.wholeNanoseconds == 1)
    #expect((Duration.zero - half).wholeNanoseconds == -1)
    #expect(Duration.seconds(9_223_372_036).wholeNanoseconds == 9_223_372_036_000_000_000)
    #expect(Duration.seconds(9_223_372_037).wholeNanoseconds == .max)
    #expect(Duration.seconds(-9_223_372_037).wholeNanoseconds == .min)
  }
}
