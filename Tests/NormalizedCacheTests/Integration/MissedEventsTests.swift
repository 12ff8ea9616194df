import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@MainActor
@Suite("Integration: missed events, a gap, a reconcile", .timeLimit(.minutes(30)))
struct MissedEventsTests {
  /// A device that shows folder 0 and has received one event.
  static func start(
    _ composition: CachePolicy = .test()
  ) async throws -> (NoteHost, Device, CachedQueryClient<NoteSchema, String>) {
    let server = NoteServer(writing: (1, Note(folder: 0, title: "a")))
    let host = NoteHost(server)
    let device = try await Device(host: host, composition: composition)
    let view = device.titles(.folder(0))
    view.start()
    try await until { view.hasResult }
    await host.write((2, Note(folder: 0, title: "b")))
    try await until { view.data == ["a", "b"] }
    return (host, device, view)
  }

  /// Two events that are not delivered: a rename and a deletion.
  static func missSome(_ host: NoteHost) async {
    await host.setReachable(false)
    await host.write((1, Note(folder: 0, title: "renamed")))
    await host.delete(.note(2))
    await host.setReachable(true)
  }

  @Test("Missed events are requested once and shown, after the reorder window")
  func gap() async throws {
    let (host, device, view) = try await Self.start()
    let fetches = await host.fetchCount
    await Self.missSome(host)
    await host.write((3, Note(folder: 0, title: "c")))
    try await until { view.isStale }
    #expect(view.data == ["a", "b"])
    #expect(await host.reconcileCount == 0)
    try await device.passReorderWindow()
    try await until { view.data == ["c", "renamed"] }
    try await until { !view.isStale }
    #expect(await host.reconcileCount == 1)
    #expect(await host.fetchCount == fetches)
    #expect(await device.cache.statistics.gapsDetected == 1)
  }

  @Test("A connection that was lost goes on where it ended, with a new sequence of events")
  func reconnection() async throws {
    let (host, device, view) = try await Self.start()
    await host.disconnect()
    await host.write((1, Note(folder: 0, title: "renamed")))
    let events = await host.connect()
    let following = Task { await device.updater.consume(events) }
    await host.beat()
    try await until { view.isStale }
    try await device.passReorderWindow()
    try await until { view.data == ["b", "renamed"] && !view.isStale }
    following.cancel()
    await following.value
  }
}
