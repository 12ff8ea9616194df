import CacheMetrics
import CacheTestSupport
import FaultSearch
import MetricsTestKit
import Testing

@testable import NormalizedCache

@Suite("A cache's metrics")
struct CacheMetricsTests {
  private static let method = ("method", "folder")

  @Test("Reads, fetches and evictions reach the metrics system, by method and outcome")
  func told() async throws {
    let system = TestMetrics()
    var server = NoteServer()
    for number in 0..<8 {
      server.write((number, Note(folder: number % 2, title: "\(number)")))
    }
    let cache = try NormalizedCache(
      composition: .test(capacity: Capacity(entities: 4)), schema: NoteSchema(),
      source: NoteHost(server),
      instrument: CacheMetrics(methods: [NoteQuery.folderMethod: "folder"], factory: system))
    for folder in [0, 0, 1] { _ = try await cache.query(NoteQuery.folder(folder).key()) }
    func count(_ label: String, _ dimensions: [(String, String)]) throws -> Int64 {
      try system.expectCounter(label, dimensions).totalValue
    }
    #expect(try count("cache_reads", [Self.method, ("outcome", "miss_cold")]) == 2)
    #expect(try count("cache_reads", [Self.method, ("outcome", "hit")]) == 1)
    #expect(try count("cache_fetches", [Self.method, ("result", "answered")]) == 2)
    #expect(try count("cache_fetched_bytes", [Self.method]) > 0)
    #expect(try system.expectTimer("cache_fetch_duration", [Self.method]).values.count == 2)
    #expect(try count("cache_evictions", []) == 4)
    let statistics = await cache.readStatistics.total
    #expect(statistics.reads == 3)
  }

  @Test("Failed, missing and unnamed items are reported too")
  func others() throws {
    let system = TestMetrics()
    let metrics = CacheMetrics(prefix: "app", factory: system)
    let key = EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 0, low: 1))
    metrics.didDetect(gaps: 3)
    metrics.didEvict(entities: 2)
    struct Failure: Error {}
    let library = LibraryID(rawValue: UniqueID(high: 0, low: 0))
    let query = QueryKey(library: library, method: QueryMethod(rawValue: 12), input: [])
    for target in [FetchTarget.entity(key), .query(query)] {
      metrics.didRead(InstrumentedRead(target: target, outcome: .partial, isExpired: false))
    }
    #expect(try system.expectCounter("app_gaps").totalValue == 3)
    #expect(try system.expectCounter("app_evictions").totalValue == 2)
    for method in ["entity", "12"] {
      let counter = try system.expectCounter(
        "app_reads", [("method", method), ("outcome", "partial")])
      #expect(counter.totalValue == 1)
    }
  }
}
