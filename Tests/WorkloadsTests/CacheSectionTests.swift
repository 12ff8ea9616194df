import CacheModel
import Testing

@testable import Workloads

@Suite("The cache section")
struct CacheSectionTests {
  private func scenario(_ rest: String) throws -> Scenario {
    let yaml = "name: a\nduration: 10 min\n" + rest
    return try Scenario.parse(Array(yaml.utf8), file: "f.yaml", vocabulary: .unchecked)
  }

  @Test("has the design's limits where a scenario says nothing")
  func defaults() throws {
    let composition = try #require(try scenario("").composition(for: "spacedrive"))
    #expect(
      composition.capacity == Capacity(entities: 10_000, highWatermark: 0.9, lowWatermark: 0.9))
    #expect(composition.maximumQueries == 100)
    #expect(composition.freshness.timeToLive == .seconds(300))
    #expect(
      composition.freshness.lifetimeNanoseconds(of: QueryKind.search.method) == 60_000_000_000)
  }

  @Test("reads quantities in every unit")
  func quantities() throws {
    let cache = try scenario(
      """
      cache:
        capacity-entities: 12,345 entities
        capacity-bytes: 1.5 MiB
        maximum-queries: unlimited
        high-watermark: 99.5 %
        low-watermark: 50 %
        time-to-live: 2 min
        time-to-live.tags.list: 1.5 h
        reorder-window: 250ms
      """
    ).cache
    #expect(cache.capacityEntities == 12_345)
    #expect(cache.capacityBytes == 1_572_864)
    #expect(cache.maximumQueries == nil)
    #expect(cache.highWatermark == 0.995)
    #expect(cache.timeToLive == .seconds(120))
    #expect(cache.timeToLivePerMethod[.tagList] == .seconds(5_400))
    #expect(cache.reorderWindow == .milliseconds(250))
  }

  @Test("replaces an axis of every preset but the bounds")
  func axes() throws {
    let scenario = try scenario(
      "cache: {eviction-order: sieve, retention: observed, gap-response: full-invalidation}\n")
    let lru = try #require(scenario.composition(for: "lru"))
    #expect(lru.evictionOrder == "sieve")
    #expect(lru.retention == .observed)
    #expect(lru.gapResponse == .fullInvalidation)
    let bound = try #require(scenario.composition(for: "unbounded"))
    #expect(bound.evictionOrder == "lru")
    #expect(bound.capacity == .unlimited)
    #expect(scenario.composition(for: "nonsense") == nil)
  }

  @Test("gives way to what a policy says of itself, wherever the sections stand")
  func ownPolicies() throws {
    let scenario = try scenario(
      """
      policies:
        - lru
        - {name: big, preset: lru, capacity-entities: 50 entities, time-to-live: 7 s}
      cache: {capacity-entities: 20 entities, retention: observed}
      """)
    #expect(scenario.policies.map(\.name) == ["lru", "big"])
    #expect(try #require(scenario.composition(for: "lru")).capacity.entities == 20)
    let big = try #require(scenario.composition(for: "big"))
    #expect(big.capacity.entities == 50)
    #expect(big.freshness.timeToLive == .seconds(7))
    #expect(big.retention == .observed)
  }

  @Test("can be varied field by field")
  func setting() throws {
    let base = CacheSection()
    #expect(try base.setting(field: "capacity-entities", to: "500").capacityEntities == 500)
    #expect(try base.setting(field: "time-to-live", to: "5 s").timeToLive == .seconds(5))
    #expect(try base.setting(field: "time-to-live", to: "unlimited").timeToLive == nil)
    #expect(try base.setting(field: "membership", to: "blind").membership == .blind)
    let bad = [("capacity-entites", "5"), ("time-to-live", "5"), ("retention", "all")]
    for (field, text) in bad {
      #expect(throws: ScenarioError.self) { try base.setting(field: field, to: text) }
    }
  }

  @Test("spans a grid of values that the field reads back")
  func grid() throws {
    let capacity = try #require(CacheField.named("capacity-entities"))
    let values = try capacity.grid("1000..20000", steps: 4)
    #expect(values == ["1000 entities", "2710 entities", "7370 entities", "20000 entities"])
    let watermark = try #require(CacheField.named("high-watermark"))
    #expect(try watermark.grid("50 %..90 %", steps: 2) == ["50 %", "90 %"])
    for field in CacheField.all where field.isNumeric {
      #expect(field.choices(vocabulary: .unchecked).isEmpty)
    }
    let retention = try #require(CacheField.named("retention"))
    #expect(retention.choices(vocabulary: .unchecked) == Retention.allCases.map(\.rawValue))
    #expect(throws: ScenarioError.self) { try retention.grid("1..2", steps: 2) }
    #expect(throws: ScenarioError.self) { try capacity.grid("9..1", steps: 2) }
    #expect(throws: ScenarioError.self) { try capacity.grid("9", steps: 2) }
  }

  @Test("describes every field once")
  func fieldTable() {
    let names = CacheField.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(CacheField.all.allSatisfy { !$0.summary.isEmpty })
  }
}
