import CacheModel
import NormalizedCache
import Processes
import ResultModel
import Synchronization
import Testing

@testable import RealTime

@Suite("The driver", .timeLimit(.minutes(30)))
struct DriverTests {
  /// The calls of subjects, in order.
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

  @Test("The rest of a block is a shorter one, and none begins after its time")
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
    let done = try await driver.openLoop(&subjects, at: [0, 1_000_000, 2_000_000])
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

@Suite("Lanes", .timeLimit(.minutes(30)))
struct LaneTests {
  /// Records its calls; every third event affects an observer.
  private final class Diary: Subject, Sendable {
    let clock = ContinuousCacheClock()
    let next = Atomic<Int>(0)
    let entries = Mutex<[String]>([])
    let drawings = Atomic<Int>(0)

    func prepare(_ count: Int) async {
      entries.withLock { $0.append("before \(next.load(ordering: .relaxed))") }
    }

    func perform(_ count: Int) async throws -> Handover {
      let event = next.add(1, ordering: .relaxed).oldValue
      entries.withLock { $0.append("event \(event)") }
      let decoded = clock.now
      let committed = clock.now
      return Handover(
        began: decoded, committed: committed,
        notified: event.isMultiple(of: 3) ? clock.now : nil)
    }

    func draw() async { drawings.add(1, ordering: .relaxed) }
  }

  private static func run(
    _ diary: Diary, events: Int, entities: Int = 1
  ) async throws -> [LaneEvent] {
    let lane = Lane(
      entities: Array(repeating: entities, count: events), rate: 2_000,
      random: RandomSource(seed: 1), subject: diary, clock: diary.clock)
    return try await lane.run(from: diary.clock.now)
  }

  @Test("Every event comes once, in order, with the reads between")
  func order() async throws {
    let diary = Diary()
    _ = try await Self.run(diary, events: 4)
    #expect(
      diary.entries.withLock { $0 } == [
        "before 0", "event 0", "before 1", "event 1", "before 2", "event 2", "before 3", "event 3",
      ])
  }

  @Test("Changes that an observer sees are drawn after its callback; others are not")
  func drawn() async throws {
    let diary = Diary()
    let events = try await Self.run(diary, events: 60)
    #expect(events.count == 60)
    for (index, event) in events.enumerated() {
      #expect(event.stamps.areMonotone, "event \(index)")
      #expect(event.isTold == index.isMultiple(of: 3))
      #expect((event.drawn != nil) == event.isTold, "event \(index)")
      if let drawn = event.drawn { #expect(drawn >= event.stamps.notified, "event \(index)") }
      #expect(event.frameLateness >= 0)
    }
    #expect(diary.drawings.load(ordering: .relaxed) > 0)
  }

  @Test("A batch waits for no arrival, and its samples are its own")
  func batches() async throws {
    let diary = Diary()
    let events = try await Self.run(diary, events: 30, entities: 100)
    #expect(events.allSatisfy { $0.entities == 100 && $0.stamps.areMonotone })
    // Thirty arrivals at 2,000 a second would take 15 ms; nothing waits for them here.
    #expect(events.allSatisfy { $0.stamps.received == $0.stamps.intended })
    var samples = PolicySamples()
    samples.add(events, reads: [])
    #expect(samples.eventCount == 0)
    let rows = samples.rows(scenario: "s", policy: "lru", seed: 1)
    #expect(rows.contains { $0.class == "batch" && $0.sampleCount == 30 && $0.value != nil })
  }

  @Test("A subject that fails ends the lane, its frames included")
  func failure() async {
    struct Failing: Subject, Sendable {
      struct Failure: Error {}
      func perform(_ count: Int) async throws -> Handover { throw Failure() }
    }
    let clock = ContinuousCacheClock()
    let lane = Lane(
      entities: [1], rate: 1_000, random: RandomSource(seed: 1),
      subject: Failing(),
      clock: clock)
    await #expect(throws: Failing.Failure.self) { try await lane.run(from: clock.now) }
  }

  @Test("All events count, and those that concern an observer once more")
  func samples() throws {
    func event(decoded: Int64, notified: Int64, drawn: Int64?) -> LaneEvent {
      func instant(_ value: Int64) -> Instant { Instant(nanoseconds: value) }
      return LaneEvent(
        stamps: EventStamps(
          intended: instant(0), received: instant(10), started: instant(20),
          decoded: instant(decoded), committed: instant(decoded), notified: instant(notified)),
        isTold: drawn != nil, drawn: drawn.map(instant))
    }
    var samples = PolicySamples()
    samples.add(
      [
        event(decoded: 30, notified: 110, drawn: 1_000),
        event(decoded: 50, notified: 50, drawn: nil),
      ], reads: [5, 7], views: [9])
    #expect(samples.readCount == 3)
    #expect(samples.eventCount == 2 && samples.toldCount == 1)
    let rows = samples.rows(scenario: "s", policy: "lru", seed: 1)
    func value(_ metric: Metric, _ name: ResultClass, _ statistic: Statistic) -> Double? {
      rows.first {
        $0.metric == metric && $0.class == name && $0.statistic == statistic
      }?.value?.asDouble
    }
    #expect(value(.updateToNotify, "single", .mean) == Double(100 + 40) / 2)
    #expect(value(.updateToNotify, "single/notified", .mean) == 100)
    #expect(value(.eventCost, "single", .max) == 80)
    #expect(value(.serverToUI, "single", .max) == 1_000)
    #expect(value(.notifyToUI, "single", .max) == 890)
    #expect(value(.readLatency, "hit", .mean) == 6)
    #expect(value(.readLatency, "view", .mean) == 9)
    // Two samples state no median.
    #expect(value(.updateToNotify, "single", .p50) == nil)
  }
}

@Suite("The sleeper")
struct SleeperTests {
  @Test("A sleeper counts by how much it woke late; one long pause is as many samples as instants")
  func sleeper() async {
    let clock = LateClock(lateness: [0, 70, 0, 2_400_000])
    #expect(
      await Sleeper.lateness(clock: clock, from: .zero)
        == [0, 70, 0, 2_400_000, 1_400_000, 400_000])
  }
}

/// Wakes late by given nanoseconds, once each, and then as if cancelled.
private final class LateClock: CacheClock {
  private let state: Mutex<(now: Instant, lateness: [Int64])>

  init(lateness: [Int64]) {
    state = Mutex((.zero, lateness))
  }

  var now: Instant { state.withLock { $0.now } }
  var wallClock: Instant { now }

  func sleep(until instant: Instant) async throws {
    try state.withLock { state in
      guard !state.lateness.isEmpty else { throw CancellationError() }
      state.now = instant.advanced(byNanoseconds: state.lateness.removeFirst())
    }
  }
}
