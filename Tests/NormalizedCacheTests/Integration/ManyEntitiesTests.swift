import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

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
