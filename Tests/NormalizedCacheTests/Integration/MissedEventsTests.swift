import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@MainActor
@Suite("Integration: missed events, a gap, a reconcile", .timeLimit(.minutes(30)))
struct MissedEventsTests {
  /// A device that shows folder 0 and has heard of one event.
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

  /// Two events that nobody is told of: a rename and a deletion.
  static func missSome(_ host: NoteHost) async {
    await host.setReachable(false)
    await host.write((1, Note(folder: 0, title: "renamed")))
    await host.delete(.note(2))
    await host.setReachable(true)
  }

  @Test("What was missed is asked for once and shown, after the reorder window")
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

  @Test("A last event that was lost is known by the heartbeat")
  func heartbeat() async throws {
    let (host, device, view) = try await Self.start()
    await Self.missSome(host)
    await host.beat()
    try await until { view.isStale }
    try await device.passReorderWindow()
    try await until { view.data == ["renamed"] && !view.isStale }
    #expect(await host.reconcileCount == 1)
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

  @Test("B39 A server that began again is followed again, and what is shown is fetched again")
  func newEpoch() async throws {
    let (host, device, view) = try await Self.start()
    let fetches = await host.fetchCount
    await host.setReachable(false)
    await host.write((1, Note(folder: 0, title: "renamed")))
    await host.restart()
    await host.setReachable(true)
    await host.write((3, Note(folder: 0, title: "c")))
    try await until { view.data == ["b", "c", "renamed"] && !view.isStale }
    #expect(await host.fetchCount == fetches + 1)
    #expect(await device.cache.statistics.resyncs == 1)
  }
}

@MainActor
@Suite(
  "Integration: twenty thousand entities against a limit of ten thousand", .timeLimit(.minutes(30)))
struct ManyEntitiesTests {
  static let limit = 10_000
  static let count = 20_000
  static let batch = 500

  /// Brings twenty thousand notes by events, in batches; every folder has a thousand.
  static func fill(_ host: NoteHost, _ device: Device) async throws {
    for start in stride(from: 0, to: count, by: batch) {
      await host.writeAll(
        (start..<start + batch).map {
          ($0, Note(folder: $0 / 1_000, title: "\($0 + 100_000)"))
        })
      try await device.applied(start / batch + 1)
    }
  }

  @Test("B4 Unretained, the limit holds at every moment, and what came last is there")
  func unretained() async throws {
    let host = NoteHost()
    let device = try await Device(
      host: host, composition: .test(capacity: Capacity(entities: Self.limit)))
    try await Self.fill(host, device)
    let cache = device.cache
    #expect(await cache.residentEntities == Self.limit)
    let statistics = await cache.statistics
    #expect(statistics.evictions == Self.count - Self.limit)
    // One more for the moment between a write and the eviction that it causes.
    #expect(statistics.peakResidentEntities <= Self.limit + 1)
    #expect(statistics.retainedOverflow == 0)
    #expect(await cache.entity(.note(Self.count - 1)) != nil)
    #expect(await cache.entity(.note(0)) == nil)
    // What left can be had again, whole.
    #expect(try await cache.query(NoteQuery.folder(0).key()).count == 1_000)
    #expect(await cache.residentEntities == Self.limit)
  }

  @Test("B3 Retained beyond the limit, everything that is shown stays, counted as overflow")
  func retained() async throws {
    let host = NoteHost()
    let device = try await Device(
      host: host,
      composition: .test(
        capacity: Capacity(entities: Self.limit), retention: .observed))
    let cache = device.cache
    // Twelve of the folders are watched: twelve thousand rows.
    let clients = (0..<12).map { device.titles(.folder($0)) }
    for client in clients {
      client.start()
      try await until { client.hasResult }
    }
    try await Self.fill(host, device)
    for (folder, client) in clients.enumerated() {
      try await until { client.data.count == 1_000 }
      #expect(client.isComplete)
      #expect(client.data.first == "\(folder * 1_000 + 100_000)")
    }
    let resident = await cache.residentEntities
    #expect(resident >= 12_000 && resident <= 12_001)
    #expect(await cache.statistics.retainedOverflow > 0)

    // Nobody looks any longer: the next write brings it back to the limit.
    for client in clients { client.stop() }
    try await until { await cache.observersAndFollowers == [0, 0] }
    await host.write((Self.count, Note(folder: 99, title: "last")))
    try await device.applied(Self.count / Self.batch + 1)
    #expect(await cache.residentEntities == Self.limit)
    #expect(await cache.entity(.note(Self.count)) != nil)
  }
}
