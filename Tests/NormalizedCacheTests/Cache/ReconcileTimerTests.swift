import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

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
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")))
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
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")))
    await cache?.receive(server.log[0])
    _ = server.write((2, Note(folder: 0, title: "lost")))
    await cache?.receive(server.write((3, Note(folder: 0, title: "c"))))
    await Self.sleeper(of: clock, until: .milliseconds(200))
    cache = nil
    while clock.nextWake != nil { await Task.yield() }
  }
}
