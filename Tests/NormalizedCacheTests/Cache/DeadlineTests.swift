import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The actor wakes for work that the store has postponed")
struct DeadlineTests {
  let folder = NoteQuery.folder(0).key()

  @Test("B26 The actor fetches observed data again a second after a failure")
  func retry() async throws {
    let clock = ManualClock()
    let source = NoteSource()
    let cache = try NoteCache.test(source: source, clock: clock)
    var updates = await cache.updates(of: folder).makeAsyncIterator()
    await source.failFetch()
    await ReconcileTimerTests.sleeper(of: clock, until: .seconds(1))
    clock.advance(by: .seconds(1))
    await source.answerFetch(from: FreshnessTests.server())
    #expect(await updates.next()?.rows.count == 1)
    #expect(await source.fetchCount == 2)
  }
}

@Suite("The actor's timer")
struct ReconcileTimerTests {
  let folder = NoteQuery.folder(0).key()

  /// Waits until the cache sleeps until exactly this instant.
  static func sleeper(of clock: ManualClock, until instant: Duration) async {
    while clock.nextWake != Instant.zero.advanced(by: instant) { await Task.yield() }
  }

  @Test("B38 A gap is reconciled when the reorder window is over, and a failure tried again")
  func gap() async throws {
    let clock = ManualClock()
    let source = NoteSource()
    let cache = try NoteCache.test(source: source, clock: clock)
    var server = NoteServer(writing: (1, Note(folder: 0, title: "a")))
    async let rows = cache.query(folder)
    await source.answerFetch(from: server)
    _ = try await rows
    _ = server.write((2, Note(folder: 0, title: "lost")))
    await cache.receive(server.write((3, Note(folder: 0, title: "c"))))

    await Self.sleeper(of: clock, until: .milliseconds(200))
    clock.advance(by: .milliseconds(200))
    await source.failReconcile()
    await Self.sleeper(of: clock, until: .milliseconds(1_200))
    #expect(await source.reconcileCount == 1)
    clock.advance(by: .seconds(1))
    var updates = await cache.updates(of: folder).makeAsyncIterator()
    #expect(await updates.next()?.isFresh == false)
    await source.answerReconcile(from: server)
    let healed = await updates.next()
    #expect(healed?.rows.map(\.payload.title) == ["a", "c", "lost"])
    #expect(healed?.isFresh == true)
    #expect(await source.reconcileCount == 2)
    #expect(await source.fetchCount == 1)
  }

  @Test("B33 A cache that is let go leaves no timer behind")
  func timerEnds() async throws {
    let clock = ManualClock()
    var cache: NoteCache? = try NoteCache.test(source: NoteSource(), clock: clock)
    var server = NoteServer(writing: (1, Note(folder: 0, title: "a")))
    await cache?.receive(server.log[0])
    _ = server.write((2, Note(folder: 0, title: "lost")))
    await cache?.receive(server.write((3, Note(folder: 0, title: "c"))))
    await Self.sleeper(of: clock, until: .milliseconds(200))
    cache = nil
    while clock.nextWake != nil { await Task.yield() }
  }
}

@Suite("The machine's clock", .timeLimit(.minutes(30)))
struct ContinuousCacheClockTests {
  /// A driver subtracts the instant that it slept until: a sleep that ends early is a negative time.
  @Test("A sleep ends at its instant or later, by the clock's own count")
  func sleepsNotTooShort() async throws {
    for microseconds in [0, 1, 20, 300] {
      for _ in 0..<50 {
        // Each has an origin of its own.
        let clock = ContinuousCacheClock()
        let due = clock.now.advanced(by: .microseconds(microseconds))
        try await clock.sleep(until: due)
        #expect(clock.now >= due)
      }
    }
  }

  @Test("An instant that has passed is not waited for, but a cancelled task is notified")
  func passedInstant() async throws {
    let clock = ContinuousCacheClock()
    try await clock.sleep(until: Instant(nanoseconds: clock.now.nanoseconds - 1))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(until: .zero)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
