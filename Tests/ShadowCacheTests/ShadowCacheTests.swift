import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import ShadowCache
import Testing

@Suite("A cache next to an app's own client")
struct ShadowCacheTests {
  private let clock = ManualClock()
  private let folder = NoteQuery.folder(0).key()

  private func shadow(
    _ composition: CachePolicy = .test()
  ) throws -> ShadowCache<NoteSchema> {
    try ShadowCache(composition: composition, schema: NoteSchema(), clock: clock)
  }

  private static func server() -> NoteServer {
    var server = NoteServer()
    for number in 0..<12 {
      server.write((number, Note(folder: number % 4, title: "\(number)", isStarred: true)))
    }
    return server
  }

  /// A client that keeps each answer for a time, and knows nothing of events.
  private struct TimedClient {
    var lifetime: Duration
    var fetchedAt: [QueryKey: Instant] = [:]

    /// Whether it asks the server.
    mutating func asks(_ key: QueryKey, at now: Instant) -> Bool {
      if let then = fetchedAt[key], then.duration(to: now) < lifetime { return false }
      fetchedAt[key] = now
      return true
    }
  }

  @Test(
    "Its report next to a dictionary with a time to live is what the real cache then does",
    arguments: [Duration.zero, .seconds(20)], 0..<5)
  func earnest(lifetime: Duration, seed: UInt64) async throws {
    let composition = CachePolicy.test(capacity: Capacity(entities: 100))
    let shadow = try shadow(composition)
    var server = Self.server()
    let host = NoteHost(server)
    let cache = try NormalizedCache(
      composition: composition, schema: NoteSchema(), source: host, clock: clock)
    var client = TimedClient(lifetime: lifetime)
    var random = RandomSource(seed: seed)
    let queries = (0..<4).map { NoteQuery.folder($0) } + [.starred(limit: 50), .live]
    for _ in 0..<400 {
      clock.advance(by: .milliseconds(random.below(1_000)))
      if random.chance(0.3) {
        let (number, note) = (
          random.below(12),
          Note(folder: random.below(4), title: "\(random.below(20))", isStarred: random.chance(0.5))
        )
        let event = server.write((number, note))
        await host.write((number, note))
        await shadow.receive(event)
        await cache.receive(event)
      }
      let key = queries[random.below(queries.count)].key()
      let request = await shadow.didRequest(key)
      if client.asks(key, at: clock.now) {
        await shadow.didAnswer(request, with: server.answer(.query(key)), bytes: 100)
      } else {
        await shadow.didServe(request)
      }
      _ = try await cache.query(key)
    }
    let report = await shadow.report
    let statistics = await cache.readStatistics
    // A query that is never kept is requested by the one, and served from a dictionary by the other.
    let live = report.methods[NoteQuery.liveMethod]?.unanswered ?? 0
    #expect(report.total.unanswered == live)
    for method in NoteQuery.methods {
      for outcome in ReadOutcome.allCases {
        #expect(
          report.methods[method]?.reads[outcome] ?? 0 == statistics.methods[method]?[outcome] ?? 0,
          "\(method) \(outcome)")
      }
    }
    #expect(report.total.reads.reads == 400 && report.total.reads.hits > 200)
    #expect(report.total.staleHits == 0)
    #expect(report.gaps == 0 && report.requestsNotFollowed == 0)
  }

  @Test("Only hits save bytes and waiting")
  func saved() async throws {
    let shadow = try shadow()
    let server = Self.server()
    for milliseconds in [30, 40] {
      let request = await shadow.didRequest(folder)
      clock.advance(by: .milliseconds(milliseconds))
      await shadow.didAnswer(request, with: server.answer(.query(folder)), bytes: 700)
    }
    let counts = await shadow.report.total
    #expect(counts.bytesSaved == 700 && counts.waitingSaved == .milliseconds(40))
    #expect(counts.reads.hits == 1 && counts.reads.reads == 2 && counts.reads.hitRatio == 0.5)
    #expect(await shadow.report.methods[NoteQuery.folderMethod] == counts)
  }

  @Test("A hit that differs from the server's answer is stale: an event was missed")
  func stale() async throws {
    let shadow = try shadow()
    var server = Self.server()
    for _ in 0..<2 {
      let request = await shadow.didRequest(folder)
      await shadow.didAnswer(request, with: server.answer(.query(folder)), bytes: 1)
      _ = server.write((0, Note(folder: 0, title: "changed")))
    }
    #expect(await shadow.report.total.staleHits == 1)
  }

  @Test("A miss that the app's client answers by itself is counted, and asked again at the next")
  func unanswered() async throws {
    let shadow = try shadow()
    let first = await shadow.didRequest(folder)
    await shadow.didServe(first)
    let second = await shadow.didRequest(folder)
    await shadow.didAnswer(second, with: Self.server().answer(.query(folder)), bytes: 1)
    let third = await shadow.didRequest(folder)
    await shadow.didFail(third)
    await shadow.didFail(third)
    await shadow.didServe(third)
    await shadow.didAnswer(third, with: Self.server().answer(.query(folder)), bytes: 1)
    let counts = await shadow.report.total
    #expect(counts.unanswered == 1 && counts.servedWithoutServer == 1)
    #expect(counts.reads[.missCold] == 2 && counts.reads.hits == 1)
    #expect(counts.bytesSaved == 0)
  }

  @Test("A gap in the events marks its library stale, without a request")
  func gap() async throws {
    let shadow = try shadow()
    var server = Self.server()
    let first = await shadow.didRequest(folder)
    await shadow.didAnswer(first, with: server.answer(.query(folder)), bytes: 1)
    _ = server.write((0, Note(folder: 0, title: "lost")))
    await shadow.receive(server.write((1, Note(folder: 1, title: "heard"))))
    clock.advance(by: .seconds(1))
    let second = await shadow.didRequest(folder)
    await shadow.didFail(second)
    let third = await shadow.didRequest(folder)
    await shadow.didAnswer(third, with: server.answer(.query(folder)), bytes: 1)
    let report = await shadow.report
    #expect(report.gaps == 1)
    #expect(report.total.reads[.missInvalidated] >= 1)
    #expect(report.total.staleHits <= 1)
    let last = await shadow.didRequest(folder)
    await shadow.didAnswer(last, with: server.answer(.query(folder)), bytes: 1)
    #expect(await shadow.report.total.reads.hits == report.total.reads.hits + 1)
  }

  @Test("Unanswered requests cost bounded memory, and are counted beyond the bound")
  func bounded() async throws {
    let shadow = try shadow(.test(maximumQueries: 4))
    for number in 0..<(ShadowCache<NoteSchema>.maximumRequests + 3) {
      _ = await shadow.didRequest(NoteQuery.folder(number % 50).key())
    }
    #expect(await shadow.report.requestsNotFollowed == 3)
  }
}
