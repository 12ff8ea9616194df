import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Synchronization
import Testing

@Suite("Outcomes of reads, and calls of an instrument", .timeLimit(.minutes(30)))
struct ReadStatisticsTests {
  private let host: NoteHost
  private let clock = ManualClock()
  private let log = Log()

  init() {
    var server = NoteServer()
    for number in 0..<6 {
      server.write((number, Note(folder: number % 3, title: "\(number)", isStarred: true)))
    }
    host = NoteHost(server)
  }

  private final class Log: CacheInstrument {
    let reads = Mutex<[ReadOutcome]>([])
    let fetches = Mutex<[InstrumentedFetch]>([])
    let evictions = Mutex(0)
    let gaps = Mutex(0)

    func didRead(_ read: InstrumentedRead) { reads.withLock { $0.append(read.outcome) } }
    func didFetch(_ fetch: InstrumentedFetch) { fetches.withLock { $0.append(fetch) } }
    func didEvict(entities: Int) { evictions.withLock { $0 += entities } }
    func didDetect(gaps: Int) { self.gaps.withLock { $0 += gaps } }
  }

  private func cache(
    _ composition: CachePolicy = .test(), instrument: (any CacheInstrument)? = nil
  ) throws -> NoteCache {
    try NoteCache(
      composition: composition, schema: NoteSchema(), source: host, clock: clock,
      instrument: instrument)
  }

  @Test("B56 Outcomes are counted by method, and sum to the reads")
  func outcomes() async throws {
    let cache = try cache(.test(freshness: Freshness(timeToLive: .seconds(10))))
    let folder = NoteQuery.folder(0).key()
    #expect(await cache.readStatistics.total.hitRatio == nil)
    _ = try await cache.query(folder)
    _ = try await cache.query(folder)
    clock.advance(by: .seconds(10))
    _ = try await cache.query(folder)
    await cache.invalidate(folder)
    _ = try await cache.query(folder)
    _ = try await cache.query(NoteQuery.starred(limit: 3).key())
    _ = try await cache.query(NoteQuery.live.key())
    _ = try await cache.fetchEntity(.note(0), library: .test)
    _ = try await cache.fetchEntity(.note(99), library: .test)
    await host.setReachable(false)
    _ = try? await cache.query(NoteQuery.folder(2).key())
    let observation = await cache.observe(folder) { cache, key in
      // A read requested by a callback is performed after it.
      _ = cache.observe(NoteQuery.folder(0).key()) { _, _ in }
    }

    let statistics = await cache.readStatistics
    let counts = try #require(statistics.methods[NoteQuery.folderMethod])
    #expect(counts[.missCold] == 2 && counts[.hit] == 3 && counts[.missExpired] == 1)
    #expect(counts[.missInvalidated] == 1)
    #expect(counts.reads == 7 && counts.hits == 3 && counts.failures == 1)
    #expect(counts.hitRatio == 3.0 / 7)
    #expect(statistics.methods[NoteQuery.starredMethod]?.reads == 1)
    #expect(statistics.methods[NoteQuery.liveMethod]?[.bypass] == 1)
    #expect(statistics.entities[.hit] == 1 && statistics.entities[.missCold] == 1)
    #expect(statistics.total.reads == 11)
    #expect(await cache.statistics.reads == 11)
    #expect(await cache.statistics.hits == statistics.total.hits)
    for counts in statistics.methods.values + [statistics.entities] {
      #expect(ReadOutcome.allCases.reduce(0) { $0 + counts[$1] } == counts.reads)
    }
    await observation.cancel()
  }

  @Test("A hit that had expired is counted twice: as a hit, and as expired")
  func expired() async throws {
    let freshness = Freshness(timeToLive: .seconds(10), staleWhileRevalidate: .seconds(60))
    let cache = try cache(.test(freshness: freshness))
    let folder = NoteQuery.folder(0).key()
    _ = try await cache.query(folder)
    clock.advance(by: .seconds(20))
    _ = try await cache.query(folder)
    let counts = await cache.readStatistics.total
    #expect(counts.hits == 1 && counts.expiredHits == 1 && counts.reads == 2)
  }

  @Test("B56 They sum to the reads of many concurrent tasks")
  func concurrent() async throws {
    let cache = try cache(.test(capacity: Capacity(entities: 3)))
    let (tasks, reads) = (20, 1_000)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var random = RandomSource(seed: UInt64(task))
          for _ in 0..<reads {
            switch random.below(4) {
            case 3: _ = try? await cache.fetchEntity(.note(random.below(6)), library: .test)
            case let folder: _ = try? await cache.query(NoteQuery.folder(folder).key())
            }
          }
        }
      }
    }
    let statistics = await cache.readStatistics
    #expect(statistics.total.reads == tasks * reads)
    #expect(await cache.statistics.reads == tasks * reads)
    #expect(await cache.statistics.hits == statistics.total.hits)
    #expect(statistics.total.failures == 0)
  }

  // MARK: Instruments

  @Test("An instrument receives reads, fetches with their time and bytes, and evictions")
  func instrument() async throws {
    let cache = try cache(.test(capacity: Capacity(entities: 2)), instrument: log)
    await host.hold(true)
    let reading = Task { try await cache.query(NoteQuery.folder(0).key()) }
    try await until { await host.fetchCount == 1 }
    clock.advance(by: .milliseconds(30))
    await host.hold(false)
    _ = try await reading.value
    _ = try await cache.query(NoteQuery.folder(1).key())
    await host.setReachable(false)
    _ = try? await cache.query(NoteQuery.folder(2).key())

    #expect(log.reads.withLock { $0 } == [.missCold, .missCold, .missCold])
    let fetches = log.fetches.withLock { $0 }
    #expect(fetches.map(\.rows) == [2, 2, 0])
    #expect(fetches.map(\.bytes) == [2, 2, 0])
    #expect(fetches.map(\.duration) == [.milliseconds(30), .zero, .zero])
    #expect(fetches.map { $0.error is NoteHost.OutOfReach } == [false, false, true])
    #expect(log.evictions.withLock { $0 } == 2)
    #expect(await cache.statistics.evictions == 2)
  }

  @Test("An instrument receives gaps that stayed open")
  func gaps() async throws {
    let cache = try cache(instrument: log)
    var server = NoteServer()
    await cache.receive(server.write((1, Note(folder: 0, title: "a"))))
    _ = server.write((1, Note(folder: 0, title: "b")))
    await cache.receive(server.write((1, Note(folder: 0, title: "c"))))
    #expect(log.gaps.withLock { $0 } == 0)
    while clock.nextWake == nil { await Task.yield() }
    clock.advance(by: .seconds(1))
    try await until { log.gaps.withLock { $0 } == 1 }
    #expect(await cache.statistics.gapsDetected == 1)
  }

  @Test("Methods that an instrument omits do nothing")
  func defaults() async throws {
    struct Deaf: CacheInstrument {}
    let cache = try cache(.test(capacity: Capacity(entities: 1)), instrument: Deaf())
    _ = try await cache.query(NoteQuery.folder(0).key())
    #expect(await cache.readStatistics.total.reads == 1)
  }
}
