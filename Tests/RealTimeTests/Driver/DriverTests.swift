import CacheModel
import NormalizedCache
import Processes
import Testing

@testable import RealTime

@Suite("The driver", .timeLimit(.minutes(30)))
struct DriverTests {
  /// What subjects were asked, in order.
  private final class Diary {
    var entries: [String] = []
  }

  private struct Witness: Subject {
    var name: String
    var diary: Diary
    var clock = ContinuousCacheClock()

    mutating func prepare(_ count: Int) { diary.entries.append("\(name) prepares \(count)") }

    mutating func perform(_ count: Int) -> Handover {
      diary.entries.append("\(name) performs \(count)")
      let now = clock.now
      return Handover(began: now, committed: now)
    }
  }

  private static func subjects(
    _ diary: Diary, _ clock: ContinuousCacheClock = ContinuousCacheClock()
  ) -> [any Subject<Handover>] {
    ["cache", "control"].map { Witness(name: $0, diary: diary, clock: clock) }
  }

  @Test(
    "Subjects take turns forwards and backwards, and each block is prepared before it is performed")
  func turns() async throws {
    let diary = Diary()
    var subjects = Self.subjects(diary)
    let outcomes = try await Driver().inTurns(
      Turns(rounds: 2), block: 4, atOnce: 2, &subjects)
    #expect(outcomes.map(\.count) == [4, 4])
    let (cache, control) = (
      ["cache prepares 4", "cache performs 2", "cache performs 2"],
      ["control prepares 4", "control performs 2", "control performs 2"]
    )
    #expect(diary.entries == cache + control + control + cache)
  }

  @Test("What is left of a block is a shorter one, and after its time none begins")
  func blocks() async throws {
    let diary = Diary()
    var subject = Self.subjects(diary)[0]
    #expect(try await Driver().backToBack(5, block: 3, &subject).count == 5)
    #expect(
      diary.entries.filter { $0.contains("prepares") } == ["cache prepares 3", "cache prepares 2"])
    #expect(try await Driver().backToBack(5, block: 3, within: .zero, &subject).isEmpty)
  }

  @Test("Open loop, subjects alternate, and none begins before it is due")
  func openLoop() async throws {
    let diary = Diary()
    let driver = Driver()
    var subjects = Self.subjects(diary, driver.clock)
    let done = try await driver.openLoop(
      &subjects, at: [0, 1_000_000, 2_000_000], isPreparedOnWaking: false)
    #expect(done.map(\.count) == [2, 1])
    #expect(done.joined().allSatisfy { $0.handover.began >= $0.due })
    #expect(
      diary.entries == [
        "cache prepares 1", "cache performs 1", "control prepares 1", "control performs 1",
        "cache prepares 1", "cache performs 1",
      ])
  }

  @Test("A handover without an observer ends with the commit")
  func handover() {
    var handover = Handover(began: Instant(nanoseconds: 5), committed: Instant(nanoseconds: 8))
    #expect(handover.nanoseconds == 3)
    handover.notified = Instant(nanoseconds: 12)
    #expect(handover.nanoseconds == 7)
  }
}
