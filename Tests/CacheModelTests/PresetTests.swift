import CacheModel
import Testing

@Suite("Presets")
struct PresetTests {
  private static let allowance = Preset.Allowance(
    capacity: Capacity(entities: 500, bytes: 1_000_000, highWatermark: 0.9, lowWatermark: 0.8),
    maximumQueries: 40, freshness: Freshness(timeToLive: .seconds(60)))

  private func composition(_ name: String) throws -> PolicyComposition {
    try #require(Preset.named(name)).composition(Self.allowance)
  }

  @Test("have names of their own, and say what they are")
  func names() {
    let names = Preset.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(
      names == [
        "lru", "refcount", "ttl", "spacedrive", "relay", "tanstack", "graphcache", "apollo-kotlin",
        "apollo-ios", "zero", "no-cache", "clairvoyant", "unbounded",
      ])
    for preset in Preset.all {
      #expect(preset.summary.hasSuffix("."))
      #expect(preset.summary.count <= 90, "\(preset.name): \(preset.summary.count)")
    }
    #expect(Preset.named("nonsense") == nil)
  }

  @Test("are all held to the common limits, the bounds aside")
  func equalCapacity() {
    for preset in Preset.all where !["no-cache", "unbounded"].contains(preset.name) {
      let composition = preset.composition(Self.allowance)
      #expect(composition.capacity == Self.allowance.capacity, "\(preset.name)")
      #expect(composition.maximumQueries == 40, "\(preset.name)")
      #expect(composition.promisesConvergence, "\(preset.name)")
    }
  }

  @Test("of shipped clients hold what those hold, for as long")
  func shippedClients() throws {
    let relay = try composition("relay")
    #expect(relay.retention == .referenceCount)
    #expect(relay.releaseBuffer == ReleaseBuffer(queries: 10, age: nil))
    #expect(relay.freshness == .neverExpires)

    let tanstack = try composition("tanstack")
    #expect(tanstack.releaseBuffer == ReleaseBuffer(queries: nil, age: .seconds(300)))
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
    #expect(zero.retention == .referenceCount)
    #expect(zero.releaseBuffer == ReleaseBuffer(queries: nil, age: .seconds(300)))
    #expect(zero.freshness == .neverExpires)
  }

  @Test("that are alike on every axis would be one too many")
  func distinct() {
    var seen: [PolicyComposition: String] = [:]
    for preset in Preset.all {
      let other = seen.updateValue(preset.name, forKey: preset.composition(Self.allowance))
      #expect(other == nil, "\(preset.name) is \(other ?? "")")
    }
  }
}
