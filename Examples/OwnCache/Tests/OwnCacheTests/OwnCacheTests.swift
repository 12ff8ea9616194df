import CacheSimulation
import Foundation
import OwnCache
import Testing
import TidemarkTestSupport

@Suite("A cache of whole answers")
struct OwnCacheTests {
  @Test("does nothing wrong in a case of conformance", arguments: CacheConformance.cases)
  func conforms(test: CacheConformance.Case) {
    let result = test.run { OwnCache($0) }
    #expect(result.verdict != .fail, "\(result)")
  }

  @Test("keeps the answers that were used last, and each for its time")
  func answers() {
    var cache = AnswerCache<String, Int>(capacity: 2, timeToLive: .seconds(10))
    cache.keep(1, to: "a", at: .zero)
    cache.keep(2, to: "b", at: .zero)
    #expect(cache.fresh("a", at: .seconds(9)) == 1)
    cache.keep(3, to: "c", at: .seconds(9))
    #expect(cache.any("b") == nil && cache.any("a") == 1)
    #expect(cache.fresh("a", at: .seconds(10)) == nil)
    #expect(cache.fresh("c", at: .seconds(18)) == 3)
  }

  @Test("serves more from the cache if answers are fresh for longer, and more of it stale")
  func scenario() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Scenarios")
    func bytes(_ name: String) throws -> [UInt8] {
      try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }
    let stream = try SimulatedScenario(
      bytes("media-scroll.yaml"), file: "media-scroll.yaml",
      models: ["files": bytes("models/files.yaml")]
    ).stream()
    let short = try stream.run(cache: "short") { OwnCache($0, timeToLive: .seconds(10)) }
    let long = try stream.run(cache: "long") { OwnCache($0, timeToLive: .seconds(600)) }
    func value(_ run: SimulatedRun, _ metric: Metric) throws -> Double {
      try #require(run.value(of: metric, in: "all")).asDouble
    }
    #expect(try value(long, .hitRatio) > value(short, .hitRatio))
    #expect(try value(long, .staleReadShare) >= value(short, .staleReadShare))
  }
}
