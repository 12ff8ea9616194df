import CacheModel
import Testing

@Suite("Presets")
struct PresetTests {
  private static let allowance = Preset.Allowance(
    capacity: Capacity(entities: 500, bytes: 1_000_000, highWatermark: 0.9, lowWatermark: 0.8),
    maximumQueries: 40, freshness: Freshness(timeToLive: .seconds(60)))

  private func composition(_ name: String) throws -> CachePolicy {
    try #require(Preset.named(name)).composition(Self.allowance)
  }

  @Test("have distinct names and a summary")
  func names() {
    let names = Preset.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(
      names == [
        "lru", "refcount", "refcount-observed", "ttl", "spacedrive", "relay", "tanstack",
        "graphcache", "apollo-client", "apollo-kotlin", "apollo-ios", "rtk-query", "swr", "zero",
        "no-cache", "clairvoyant", "unbounded",
      ])
    for preset in Preset.all {
      #expect(preset.summary.hasSuffix("."))
      #expect(preset.summary.count <= 90, "\(preset.name): \(preset.summary.count)")
    }
    #expect(Preset.named("nonsense") == nil)
    #expect(Preset.named("nonsense@limit") == nil)
    let subscribing = Self.clients.filter { $0 != "zero" }.map { $0 + "@no-push" }
    #expect(Preset.names == names + names.map { $0 + "@limit" } + subscribing)
    for name in Preset.names { #expect(Preset.named(name)?.name == name) }
    for name in ["lru@no-push", "zero@no-push", "relay@limit@no-push", "relay@no-push@limit"] {
      #expect(Preset.named(name) == nil, "\(name)")
    }
  }

  @Test("of a client without push differ from it in nothing but that events do not reach them")
  func withoutPush() throws {
    for name in Self.clients where name != "zero" {
      var own = try composition(name)
      #expect(own.takesEvents)
      own.takesEvents = false
      #expect(try composition("\(name)@no-push") == own, "\(name)")
    }
  }

  private static let clients = [
    "relay", "tanstack", "graphcache", "apollo-client", "apollo-kotlin", "apollo-ios",
    "rtk-query", "swr", "zero",
  ]

  @Test("of ideas have the common limits, those of shipped clients their own")
  func limits() {
    for preset in Preset.all where preset.name != "no-cache" {
      let composition = preset.composition(Self.allowance)
      let isOwn = Self.clients.contains(preset.name) || preset.name == "unbounded"
      #expect(
        composition.capacity == (isOwn ? .unlimited : Self.allowance.capacity), "\(preset.name)")
      #expect(composition.maximumQueries == (isOwn ? nil : 40), "\(preset.name)")
      #expect(composition.promisesConvergence, "\(preset.name)")
    }
  }

  @Test("are held to the common limits by name, and are the same in everything else")
  func atCommonLimits() throws {
    for preset in Preset.all {
      let limited = try #require(Preset.named("\(preset.name)@limit"))
      #expect(limited.name == "\(preset.name)@limit")
      var composition = limited.composition(Self.allowance)
      let isNone = preset.name == "no-cache"
      #expect(composition.capacity.entities == (isNone ? 0 : 500))
      #expect(composition.capacity.bytes == 1_000_000)
      #expect(composition.capacity.lowWatermark == 0.8)
      #expect(composition.maximumQueries == (isNone ? 0 : 40))
      let own = preset.composition(Self.allowance)
      composition.capacity = own.capacity
      composition.maximumQueries = own.maximumQueries
      #expect(composition.limit == .hard)
      composition.limit = own.limit
      #expect(composition == own, "\(preset.name)")
    }
  }

  @Test("of pure ideas keep to their limits, the others keep all that they retain")
  func limitKinds() throws {
    let hard = ["lru", "refcount", "refcount-observed", "ttl"]
    for preset in Preset.all {
      let kind = try composition(preset.name).limit
      #expect(kind == (hard.contains(preset.name) ? .hard : .soft), "\(preset.name)")
    }
  }

  @Test("of reference counting count cached queries, or observed ones")
  func referenceCounts() throws {
    #expect(try composition("refcount").retention == .referenceCount)
    #expect(try composition("refcount-observed").retention == .referenceCountObserved)
    for name in ["refcount", "refcount-observed"] {
      #expect(try composition(name).evictionOrder == "lru")
      #expect(try composition(name).freshness == .neverExpires)
    }
  }

  @Test("of shipped clients keep what those clients keep, for as long")
  func shippedClients() throws {
    let relay = try composition("relay")
    #expect(relay.retention == .referenceCountObserved)
    #expect(relay.releaseBuffer == ReleaseBuffer(queries: 10, age: nil, reads: .whileRoom))
    #expect(relay.freshness == .neverExpires)

    let tanstack = try composition("tanstack")
    #expect(
      tanstack.releaseBuffer
        == ReleaseBuffer(queries: nil, age: .seconds(300), reads: .asObserved))
    #expect(tanstack.freshness.timeToLive == .zero)
    #expect(tanstack.freshness.staleWhileRevalidate > .seconds(365 * 86_400))

    let graphcache = try composition("graphcache")
    #expect(graphcache.retention == .cached)
    #expect(graphcache.freshness == .neverExpires)

    let kotlin = try composition("apollo-kotlin")
    #expect(kotlin.evictionOrder == "lru")
    #expect(kotlin.retention == .none)
    #expect(kotlin.freshness == Self.allowance.freshness)

    let apple = try composition("apollo-ios")
    #expect(apple.retention == .none)
    #expect(apple.freshness == .neverExpires)

    let zero = try composition("zero")
    let rtk = try composition("rtk-query")
    #expect(
      rtk.releaseBuffer == ReleaseBuffer(queries: nil, age: .seconds(60), reads: .asObserved))
    #expect(rtk.freshness == .neverExpires)

    let swr = try composition("swr")
    #expect(swr.retention == .cached)
    #expect(swr.freshness.timeToLive == .seconds(2))
    #expect(swr.freshness.start == .answerWhileObserved)

    #expect(zero.retention == .referenceCountObserved)
    #expect(zero.releaseBuffer == ReleaseBuffer(queries: nil, age: .seconds(300)))
    #expect(zero.freshness == .neverExpires)
  }

  @Test("differ on at least one axis")
  func distinct() {
    var seen: [CachePolicy: String] = [:]
    for preset in Preset.all {
      let other = seen.updateValue(preset.name, forKey: preset.composition(Self.allowance))
      #expect(other == nil, "\(preset.name) is \(other ?? "")")
    }
  }
}
