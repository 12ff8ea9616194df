import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The actor wakes for what the store has put off")
struct DeadlineTests {
  let folder = NoteQuery.folder(0).key()

  @Test("B26 The actor fetches again what is observed and failed, after a second")
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

  @Test("B30 The actor tells the last value when the coalescing window ends")
  func coalescing() async throws {
    let clock = ManualClock()
    let source = NoteSource()
    var server = FreshnessTests.server()
    let cache = try NoteCache.test(
      .test(coalescingWindow: .milliseconds(100)), source: source, clock: clock)
    var updates = await cache.updates(of: folder).makeAsyncIterator()
    await source.answerFetch(from: server)
    #expect(await updates.next()?.rows.map(\.payload.title) == ["a"])
    for title in ["b", "c", "d"] {
      await cache.receive(server.write((1, Note(folder: 0, title: title))))
    }
    #expect(await cache.statistics.notifications == 1)
    await ReconcileTimerTests.sleeper(of: clock, until: .milliseconds(100))
    clock.advance(by: .milliseconds(100))
    #expect(await updates.next()?.rows.map(\.payload.title) == ["d"])
    #expect(await cache.statistics.notifications == 2)
  }

  @Test("B9 The actor lets go of what the release buffer has held for its age")
  func release() async throws {
    let clock = ManualClock()
    let source = NoteSource()
    let cache = try NoteCache.test(
      .test(
        retention: .referenceCountObserved,
        releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(30))),
      source: source, clock: clock)
    let observation = await cache.observe(folder) { _, _ in }
    await source.answerFetch(from: FreshnessTests.server())
    while await cache.residentEntities == 0 { await Task.yield() }
    await observation.cancel()
    #expect(await cache.residentEntities == 1)
    await ReconcileTimerTests.sleeper(of: clock, until: .seconds(30))
    clock.advance(by: .seconds(30))
    while await cache.residentEntities > 0 { await Task.yield() }
  }
}
