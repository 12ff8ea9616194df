import CacheModel
import NormalizedCache
import ResultModel
import Synchronization
import Testing

@testable import RealTime

@Suite("A soak")
struct SoakRunTests {
  private func plan(rate: Double, duration: Duration = .seconds(2)) throws -> SoakPlan {
    var plan = try #require(
      SoakPlan.standard(preset: "spacedrive", seed: 3, duration: duration, rate: rate))
    plan.library = FileLibrary(directories: 5, filesPerDirectory: 20, seed: 3)
    return plan
  }

  @Test("A short one over a bad network ends as the server is, and every row has its metric")
  func short() async throws {
    var plan = try plan(rate: 500)
    (plan.faults.outageEvery, plan.faults.outage) = (500_000_000, 200_000_000)
    var run = SoakRun(plan: plan)
    // Every change is sent, however little of the processors this test is given.
    run.feedClock = SkippingClock()
    let result = try await run.run()
    #expect(result.divergent == 0)
    #expect(result.missed == 0)
    #expect(result.viewsChecked > 0)
    #expect(result.faults.isEmpty)
    // It was a bad network, and the cache had work to do.
    #expect((900...1_100).contains(result.link.sent))
    #expect(result.link.lost > 100)
    #expect(result.statistics.reconciles > 0)
    for row in result.rows {
      #expect(row.metric.statistics.contains(row.statistic), "\(row.metric)")
    }
  }

  @Test("A view that was not notified is found before a later change makes it draw, and not after")
  func deaf() async throws {
    let library = FileLibrary(directories: 1, filesPerDirectory: 20, seed: 3)
    let server = SoakServer(library: library)
    let cache = try NormalizedCache(
      composition: try #require(library.composition(preset: "spacedrive")),
      schema: MeasurementSchema(), source: server, clock: MonotonicClock())
    let views = SoakViews()
    let hears = Atomic(true)
    let key = try #require(library.queryKeys.first)
    _ = await cache.observe(key) { _, key in
      if hears.load(ordering: .relaxed) { views.mark(key) }
    }
    views.draw(key, try await cache.query(key))
    var screen = SoakScreen(of: views, from: cache, keys: [key])
    func change(isHeard: Bool) async {
      hears.store(isHeard, ordering: .relaxed)
      await cache.receive(server.change())
    }
    func frames() async -> [Int] {
      await screen.frame()
      return [screen.checked, screen.missed]
    }
    // Notified views are not compared, and are drawn.
    await change(isHeard: true)
    #expect(await frames() == [0, 0])
    #expect(await frames() == [1, 0])
    await change(isHeard: false)
    #expect(await frames() == [2, 1])
    await change(isHeard: true)
    #expect(await frames() == [2, 1])
    #expect(await frames() == [3, 1])
    // Two changes before a frame are drawn as one.
    await change(isHeard: false)
    await change(isHeard: true)
    #expect(await frames() == [3, 1])
    #expect(await frames() == [4, 1])
  }

  @Test("Views that are never notified are found at the end")
  func neverTold() async throws {
    var run = SoakRun(plan: try plan(rate: 500, duration: .seconds(1)))
    run.isDeaf = true
    run.feedClock = SkippingClock()
    let result = try await run.run()
    // Every listing was changed.
    #expect(result.missed >= 5)
    #expect(result.divergent == 0)
    #expect(result.faults.contains { $0.contains("had not been notified") })
  }

  @Test("Differences, missing notifications and growing memory are faults")
  func faults() throws {
    let plan = try #require(
      SoakPlan.standard(preset: "lru", seed: 1, duration: .seconds(1), rate: 1))
    var result = SoakResult(plan: plan)
    (result.divergent, result.viewsChecked, result.missed) = (1, 9, 2)
    #expect(result.memoryGrows == nil)
    #expect(result.faults.count == 2)
    result.memory = samples(growth: 100_000)
    #expect(result.memoryGrows == true)
    #expect(result.faults.count == 3)
    result.memory = samples(growth: 0)
    #expect(result.memoryGrows == false)
  }

  /// 400 seconds of about 100 MB, with a little noise.
  private func samples(growth: Int) -> [(x: Double, y: Double)] {
    (0..<400).map { second in
      let bytes = 100_000_000 + second * growth + second % 7 * 10_000
      return (Double(second), Double(bytes))
    }
  }

  @Test("A line through points on a line is that line, and its interval has its level")
  func trend() throws {
    let exact = try #require(LinearTrend((0..<9).map { (Double($0), 3 + 2 * Double($0)) }, lag: 2))
    #expect(abs(exact.slope - 2) < 1e-12)
    #expect(exact.standardError < 1e-9)
    let covered = try (0..<200).count { seed in
      var random = RandomSource(seed: UInt64(seed))
      let points = (0..<100).map { (x: Double($0), y: 2 * Double($0) + random.unit()) }
      return try #require(LinearTrend(points, lag: 5)).interval.contains(2)
    }
    // 95 % of 200 are 190; with so few points and a lag it is somewhat less.
    #expect((165...199).contains(covered))
    #expect(LinearTrend([(1, 1), (1, 2), (1, 3)], lag: 1) == nil)
    #expect(LinearTrend([(1, 1), (2, 2)], lag: 1) == nil)
  }
}

/// Sleepers wake immediately, at their requested time.
private final class SkippingClock: CacheClock {
  private let state = Mutex(Instant.zero)

  var now: Instant { state.withLock { $0 } }
  var wallClock: Instant { now }

  func sleep(until instant: Instant) async throws {
    try Task.checkCancellation()
    state.withLock { $0 = max($0, instant) }
  }
}

@Suite("A lossy link")
struct LossyLinkTests {
  private func delivered(_ faults: LinkFaults, seed: UInt64 = 1) -> ([Int], LinkTally) {
    var link = LossyLink<Int>(faults: faults, random: RandomSource(seed: seed))
    var delivered: [Int] = []
    for message in 0..<10_000 {
      let now = Int64(message) * 1_000_000
      link.send(message, at: now)
      while let message = link.take(at: now) { delivered.append(message) }
    }
    while let due = link.nextDue, let message = link.take(at: due) { delivered.append(message) }
    return (delivered, link.tally)
  }

  @Test("Without faults everything passes in order")
  func faultless() {
    var faults = LinkFaults()
    (faults.loss, faults.duplicate, faults.late, faults.outageEvery) = (0, 0, 0, 0)
    let (messages, tally) = delivered(faults)
    #expect(messages == Array(0..<10_000))
    #expect(tally == LinkTally(sent: 10_000, delivered: 10_000))
  }

  @Test("Each fault happens as often as is asked, and the tally adds up")
  func shares() {
    var faults = LinkFaults()
    faults.outageEvery = 0
    let (messages, tally) = delivered(faults)
    #expect((150...250).contains(tally.lost))
    #expect((150...250).contains(tally.duplicated))
    #expect((400...600).contains(tally.late))
    #expect(tally.delivered == tally.sent - tally.lost + tally.duplicated)
    #expect(messages.count == tally.delivered)
    #expect(Set(messages).count == tally.sent - tally.lost)
    #expect(messages != messages.sorted())
    #expect(delivered(faults) == (messages, tally))
    #expect(delivered(faults, seed: 2).0 != messages)
  }

  @Test("Nothing passes during an outage")
  func outage() {
    var faults = LinkFaults()
    (faults.loss, faults.duplicate, faults.late) = (0, 0, 0)
    (faults.outageEvery, faults.outage) = (2_000_000_000, 500_000_000)
    let (messages, tally) = delivered(faults)
    #expect(tally.lost == 2_000)
    #expect(messages.allSatisfy { $0 % 2_500 < 2_000 })
  }
}
