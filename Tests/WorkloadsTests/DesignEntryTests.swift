import CacheModel
import Testing

@testable import Workloads

@Suite("Designs among the policies of a scenario")
struct DesignEntryTests {
  private func scenario(_ policies: String, cache: String = "") throws -> Scenario {
    let text = MinimalScenario.completing("cache: {\(cache)}\npolicies: \(policies)\n")
    return try Scenario.parse(Array(text.utf8), file: "pages.yaml", vocabulary: .unchecked)
  }

  @Test("A design has its documents' numbers by default, and is not a cache policy")
  func standard() throws {
    let scenario = try scenario("[lru, two-tier]")
    let settings = try #require(scenario.design(for: "two-tier"))
    #expect(settings.duration("maximum-age") == .seconds(3_600))
    #expect(settings.count("clean-up-writes") == 100)
    #expect(settings.duration("clean-up-interval") == nil)
    #expect(settings.diskBytes == nil && settings.evictionOrder == nil)
    #expect(scenario.composition(for: "two-tier") == nil && scenario.design(for: "lru") == nil)
  }

  @Test("Its own fields and those that all share are taken, the entry's before the section's")
  func fields() throws {
    let scenario = try scenario(
      "[two-tier, {name: own, preset: two-tier, maximum-age: unlimited, disk-bytes: 3 MB}]",
      cache: "maximum-age: 10 min, disk-bytes: 2 MB, capacity-memory: 1 MB, eviction-order: sieve")
    let shared = try #require(scenario.design(for: "two-tier"))
    #expect(shared.duration("maximum-age") == .seconds(600) && shared.diskBytes == 2_000_000)
    #expect(shared.capacity.memory == 1_000_000 && shared.evictionOrder == "sieve")
    let own = try #require(scenario.design(for: "own"))
    #expect(own["maximum-age"] == .unlimited && own.diskBytes == 3_000_000)
    #expect(own != shared)
  }

  @Test(
    "A field that the preset has no use for is an error",
    arguments: [
      "[{name: a, preset: two-tier, retention: tags}]",
      "[{name: a, preset: lru, maximum-age: 1 h}]", "[{name: a, preset: two-tire}]",
      "[{name: a, preset: two-tier, maximum-age: 1}]",
      "[{name: a, preset: two-tier, clean-up-writes: 0 writes}]",
    ])
  func mistakes(_ policies: String) {
    #expect(throws: ScenarioError.self) { try scenario(policies) }
  }

  @Test("Fields of one name are of one kind in all designs")
  func kinds() {
    let fields = DesignPreset.all.flatMap(\.fields)
    for field in fields {
      #expect(fields.allSatisfy { $0.name != field.name || $0.form == field.form }, "\(field.name)")
    }
    let others = CacheSection.fields.map(\.name)
    #expect(Set(others).count == others.count)
    #expect(Set(Preset.names).isDisjoint(with: DesignPreset.names))
  }

  @Test("Events are turned off for one policy")
  func events() throws {
    let scenario = try scenario("[lru, {name: deaf, preset: lru, events: none}]")
    #expect(scenario.composition(for: "lru")?.takesEvents == true)
    #expect(scenario.composition(for: "deaf")?.takesEvents == false)
  }

  @Test("Users mark views and pull them down")
  func steps() throws {
    let text = """
      name: pages
      duration: 1 h
      data:
        entities: {page: {count: 50 pages, size: 300 B, has: {name: text}}}
        queries: {page: {list: page, where: id is subject, order: name, first: 1 rows}}
      users:
        - mix: {read: 100 %}
          activities: {read: [{visit: page, revisit: 50 %}, {pin: 50 %}, {pull: 100 %}]}
      policies: [lru]
      """
    let scenario = try Scenario.parse(
      Array(text.utf8), file: "pages.yaml", vocabulary: .unchecked)
    let actions = Workload.generate(scenario).clients[0].actions.map(\.kind)
    let marks = actions.count { if case .tag = $0 { true } else { false } }
    let visits = actions.count { if case .observe = $0 { true } else { false } }
    #expect(visits > 100 && (0.3...0.7).contains(Double(marks) / Double(visits)))
    for (index, action) in actions.enumerated() {
      guard case .maintenance(.invalidate(let query)) = action else { continue }
      #expect(actions[index + 1] == .read(query: query))
    }
    let pulls = actions.count { if case .maintenance(.invalidate) = $0 { true } else { false } }
    #expect(Double(pulls) > 0.9 * Double(visits))
  }
}
