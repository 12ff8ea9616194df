import CacheModel
import Testing

@testable import Workloads

@Suite("The cache section")
struct CacheSectionTests {
  private func scenario(_ rest: String) throws -> Scenario {
    try Scenario.parse(
      Array(MinimalScenario.completing("name: a\nduration: 10 min\n\(rest)\n").utf8),
      file: "f.yaml", vocabulary: .unchecked)
  }

  @Test("has the design's limits where a scenario says nothing")
  func defaults() throws {
    let composition = try #require(try scenario("").composition(for: "spacedrive"))
    #expect(
      composition.capacity == Capacity(entities: 10_000, highWatermark: 0.9, lowWatermark: 0.9))
    #expect(composition.maximumQueries == 100)
    #expect(composition.freshness.timeToLive == .seconds(300))
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
        time-to-live: {default: 2 min, pages: 1.5 h}
        reorder-window: 250ms
      """
    ).cache
    #expect(
      cache.capacity
        == Capacity(
          entities: 12_345, bytes: 1_572_864, highWatermark: 0.995, lowWatermark: 0.5))
    #expect(cache.maximumQueries == nil)
    #expect(cache.freshness.timeToLive == .seconds(120))
    #expect(cache.timeToLivePerMethod[DataModel.kind(ofShape: 0)] == .seconds(5_400))
    #expect(
      cache.allowance(for: DataModel(types: [], shapes: [])).reorderWindow == .milliseconds(250))
  }

  @Test("replaces an axis of every preset but the bounds")
  func axes() throws {
    let scenario = try scenario(
      """
      cache: {eviction-order: sieve, admission: tinylfu, retention: observed, \
      gap-response: full-invalidation}\n
      """)
    let lru = try #require(scenario.composition(for: "lru"))
    #expect(lru.evictionOrder == "sieve")
    #expect(lru.admission == "tinylfu")
    #expect(lru.retention == .observed)
    #expect(lru.gapResponse == .fullInvalidation)
    let bound = try #require(scenario.composition(for: "unbounded"))
    #expect(bound.evictionOrder == "lru")
    #expect(bound.admission == "always")
    #expect(bound.capacity == .unlimited)
    #expect(scenario.composition(for: "nonsense") == nil)
  }

  @Test("yields to a policy's own keys, in any order of the sections")
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

  @Test("reads a choice on every axis, and hands it to every preset but the bounds")
  func choices() throws {
    let scenario = try scenario(
      """
      cache:
        retention: tags
        release-buffer-queries: 20 queries
        release-buffer-age: 2 min
        drops-expired: yes
        event-admission: probation
        coalescing-window: 50 ms
      """)
    for preset in Preset.all {
      let composition = try #require(scenario.composition(for: preset.name))
      let isBound = PolicyEntry.bounds.contains(preset.name)
      #expect((composition.retention == .tags) == !isBound, "\(preset.name)")
      #expect((composition.eventAdmission == .probation) == !isBound, "\(preset.name)")
      #expect((composition.coalescingWindow == .milliseconds(50)) == !isBound, "\(preset.name)")
      #expect(composition.freshness.dropsExpired == !isBound, "\(preset.name)")
      let reads = preset.composition(
        scenario.cache.allowance(for: DataModel(types: [], shapes: []))
      ).releaseBuffer?
      .reads
      let buffer =
        isBound ? nil : ReleaseBuffer(queries: 20, age: .seconds(120), reads: reads ?? .ignored)
      #expect(composition.releaseBuffer == buffer, "\(preset.name)")
    }
  }

  @Test("leaves the half of a release buffer that it does not mention as the preset has it")
  func releaseBuffer() throws {
    let scenario = try scenario(
      """
      policies:
        - {name: aged, preset: relay, release-buffer-age: 30 s}
        - {name: counted, preset: zero, release-buffer-queries: 5 queries}
        - {name: none, preset: relay, release-buffer-queries: 0 queries}
        - {name: all, preset: relay, release-buffer-queries: unlimited}
        - {name: new, preset: refcount-observed, release-buffer-age: unlimited}
        - {name: read, preset: zero, release-buffer-reads: while-room}
        - {name: nothing, preset: lru, release-buffer-reads: while-room}
      """)
    func buffer(_ name: String) throws -> ReleaseBuffer? {
      try #require(scenario.composition(for: name)).releaseBuffer
    }
    #expect(
      try buffer("aged") == ReleaseBuffer(queries: 10, age: .seconds(30), reads: .whileRoom))
    #expect(try buffer("counted") == ReleaseBuffer(queries: 5, age: .seconds(300)))
    #expect(try buffer("none") == ReleaseBuffer(queries: 0, age: nil, reads: .whileRoom))
    #expect(try buffer("all") == ReleaseBuffer(queries: nil, age: nil, reads: .whileRoom))
    #expect(try buffer("new") == ReleaseBuffer(queries: nil, age: nil))
    #expect(
      try buffer("read") == ReleaseBuffer(queries: nil, age: .seconds(300), reads: .whileRoom))
    #expect(try buffer("nothing") == nil, "what reads do makes no buffer")
    #expect(try buffer("refcount-observed") == nil)
  }

  @Test("gives a shipped client the limits that its policy names, and no others")
  func ownLimits() throws {
    let scenario = try scenario(
      """
      cache: {capacity-entities: 500 entities, maximum-queries: 7 queries}
      policies:
        - {name: small, preset: relay, capacity-entities: 50 entities}
        - {name: few, preset: swr, maximum-queries: 3 queries, time-to-live-from: answer}
        - relay@limit
      """)
    func composition(_ name: String) throws -> CachePolicy {
      try #require(scenario.composition(for: name))
    }
    #expect(try composition("relay").capacity.entities == nil)
    #expect(try composition("relay").maximumQueries == nil)
    #expect(try composition("small").capacity.entities == 50)
    #expect(try composition("small").maximumQueries == nil)
    #expect(try composition("few").capacity.entities == nil)
    #expect(try composition("few").maximumQueries == 3)
    #expect(try composition("few").freshness.start == .answer)
    // From when an age counts says nothing of how long it may be.
    #expect(try composition("few").freshness.timeToLive == .seconds(2))
    for name in ["relay@limit", "swr@limit"] {
      #expect(try composition(name).capacity.entities == 500)
      #expect(try composition(name).maximumQueries == 7)
    }
    #expect(scenario.composition(for: "relay@limits") == nil)
  }

  @Test("hands a limit on memory to all that share limits, and says whether limits are hard")
  func memory() throws {
    let scenario = try scenario(
      """
      cache: {capacity-entities: unlimited, capacity-memory: 5 MB}
      policies:
        - {name: soft, preset: lru, limit: soft}
        - {name: hard, preset: spacedrive, limit: hard}
        - {name: small, preset: relay, capacity-memory: 1 MB}
      """)
    func composition(_ name: String) throws -> CachePolicy {
      try #require(scenario.composition(for: name))
    }
    for name in ["lru", "spacedrive", "relay@limit", "unbounded@limit"] {
      #expect(try composition(name).capacity.memory == 5_000_000)
      #expect(try composition(name).limit == (name == "spacedrive" ? .soft : .hard), "\(name)")
    }
    #expect(try composition("relay").capacity.memory == nil)
    #expect(try composition("small").capacity.memory == 1_000_000)
    #expect(try composition("soft").limit == .soft)
    #expect(try composition("hard").limit == .hard)
  }

  @Test("hands the windows after expiry to the presets that expire, as it does times to live")
  func windowsAfterExpiry() throws {
    let scenario = try scenario(
      """
      cache: {stale-while-revalidate: 30 s, stale-if-error: unlimited}
      policies:
        - spacedrive
        - {name: short, preset: tanstack, stale-while-revalidate: 10 s}
        - {name: swift, preset: lru, stale-if-error: 1 min}
      """)
    func freshness(_ name: String) throws -> Freshness {
      try #require(scenario.composition(for: name)).freshness
    }
    #expect(try freshness("spacedrive").staleWhileRevalidate == .seconds(30))
    #expect(try freshness("spacedrive").staleIfError == .nanoseconds(Int64.max))
    #expect(try freshness("lru").staleWhileRevalidate == .zero)
    // A policy's own keys change none of its preset's others.
    #expect(try freshness("short").timeToLive == .zero)
    #expect(try freshness("short").staleWhileRevalidate == .seconds(10))
    #expect(try freshness("swift").staleIfError == .seconds(60))
    #expect(try freshness("swift").timeToLive == nil)
  }

  /// A value that each field rejects, and the error.
  static let faults = [
    ("event-admission: write-alocate", "write-allocate"),
    ("release-buffer-queries: 10 rows", "`rows` is not a unit"),
    ("release-buffer-queries: 20_000_000 queries", "out of range"),
    ("release-buffer-age: 5 queries", "not a unit of a duration"),
    ("coalescing-window: 1 h", "out of range"),
    ("stale-while-revalidate: 400 d", "out of range"),
    ("stale-if-error: ever", "not a duration"),
    ("drops-expired: maybe", "drops-expired"),
    ("retention: tagged", "tags"),
    ("release-bufer-age: 5 s", "release-buffer-age"),
  ]

  @Test("says where and why a choice cannot be read", arguments: faults)
  func unreadable(_ line: String, _ hint: String) throws {
    let error = try #require(throws: ScenarioError.self) { try scenario("cache:\n  \(line)\n") }
    #expect(error.problems.count == 1)
    let place = try #require(error.problems.first?.place)
    #expect(place.line == 4)
    #expect(error.description.contains(hint), "\(error)")
  }

  @Test("can be varied field by field")
  func setting() throws {
    let base = CacheSection()
    let values: [(String, String, PolicyValue)] = [
      ("capacity-entities", "500", .number(500)), ("time-to-live", "5 s", .duration(.seconds(5))),
      ("time-to-live", "unlimited", .unlimited), ("membership", "blind", .word("blind")),
      ("event-admission", "probation", .word("probation")),
      ("high-watermark", "95 %", .share(0.95)),
      ("release-buffer-queries", "10", .number(10)),
      ("release-buffer-age", "unlimited", .unlimited), ("drops-expired", "no", .word("no")),
      ("coalescing-window", "16 ms", .duration(.milliseconds(16))),
    ]
    for (field, text, value) in values {
      #expect(try base.setting(field: field, to: text)[field] == value, "\(field)")
    }
    let bad = [("capacity-entites", "5"), ("time-to-live", "5"), ("retention", "all")]
    for (field, text) in bad {
      #expect(throws: ScenarioError.self) { try base.setting(field: field, to: text) }
    }
  }

  @Test("writes a size in the unit that leaves it short")
  func sizes() throws {
    let capacity = try #require(ScenarioField.ofCache(named: "capacity-bytes"))
    for (text, written) in [
      ("1000000 B", "1 MB"), ("1220000 B", "1.22 MB"), ("0.5 MB", "500 kB"), ("512 B", "512 B"),
      ("1234567 B", "1234.567 kB"), ("1 MiB", "1048.576 kB"),
    ] {
      #expect(try capacity.spelling(of: text) == written)
      #expect(try capacity.spelling(of: written) == written)
    }
    #expect(ScenarioContent.words(for: "1000000", at: "cache.capacity-bytes") == "1 MB")
    #expect(ScenarioContent.words(for: "0.25", at: "users.phone.mix.0") == "25 %")
    #expect(
      ScenarioContent.words(for: "0.7", at: "targets.hit_ratio[all].at_least.lru") == "70 %")
    #expect(ScenarioContent.words(for: "recipe", at: "model.types.recipe.name") == "recipe")
  }

  @Test("spans a grid of values that the field reads back")
  func grid() throws {
    let capacity = try #require(ScenarioField.ofCache(named: "capacity-entities"))
    let values = try capacity.grid("1000..20000", steps: 4)
    #expect(values == ["1000 entities", "2710 entities", "7370 entities", "20000 entities"])
    let watermark = try #require(ScenarioField.ofCache(named: "high-watermark"))
    #expect(try watermark.grid("50 %..90 %", steps: 2) == ["50 %", "90 %"])
    let buffer = try #require(ScenarioField.ofCache(named: "release-buffer-queries"))
    #expect(try buffer.grid("0..20", steps: 3) == ["0 queries", "10 queries", "20 queries"])
    let window = try #require(ScenarioField.ofCache(named: "stale-while-revalidate"))
    #expect(try window.grid("1 s..100 s", steps: 3) == ["1 s", "10 s", "100 s"])
    for field in ScenarioField.ofCache() where field.isNumeric {
      #expect(field.choices(vocabulary: .unchecked).isEmpty)
    }
    let retention = try #require(ScenarioField.ofCache(named: "retention"))
    #expect(retention.choices(vocabulary: .unchecked) == Retention.allCases.map(\.rawValue))
    #expect(throws: ScenarioError.self) { try retention.grid("1..2", steps: 2) }
    #expect(throws: ScenarioError.self) { try capacity.grid("9..1", steps: 2) }
    #expect(throws: ScenarioError.self) { try capacity.grid("9", steps: 2) }
  }

  @Test("describes every field once")
  func fieldTable() {
    let names = ScenarioField.ofCache().map(\.name)
    #expect(Set(names).count == names.count)
    #expect(ScenarioField.ofCache().allSatisfy { !$0.summary.isEmpty })
  }
}
