import Testing

@testable import Workloads

@Suite("Content of a scenario")
struct ScenarioContentTests {
  private static let yaml = """
    name: one
    duration: 20 min
    data:
      entities:
        page: {count: 500, size: {mean: 2 kB, deviation: 9 B}, has: {name: text}}
      queries: {pages: {list: page, order: name, first: 9 rows}}
      operations: {add: {create: page}, edit: {set: page.name}}
    writers:
      - {name: laptop, rate: 30/min, mix: {edit: 60 %, add: 40 %}}
    users:
      - {name: desktop, think: 2 s, visits: {rate: 4/h, length: 5 min}, mix: {look: 100 %}, activities: {look: [visit: pages]}}
    faults:
      - {kind: partition, at: 5 min, for: 1 min}
    cache: {capacity-entities: 700 entities, time-to-live: {pages: 30 s}}
    policies: [lru, {name: mine, preset: lru, capacity-entities: 10 entities}]
    goal: {minimise: bytes_fetched}
    targets:
      - {metric: hit_ratio, class: pages, at-least: 70 %, policies: [lru, mine]}
      - {metric: read_wait, class: all, statistic: p95, at-most: 50 ms}

    """

  private static func content(_ yaml: String) throws -> ScenarioContent {
    ScenarioContent(
      try Scenario.parse(Array(yaml.utf8), file: "one.yaml", vocabulary: .unchecked))
  }

  private static func value(_ path: String, _ values: [ScenarioContent.Value]) -> String? {
    values.first { $0.path == path }?.text
  }

  @Test("Each value is under the path of its keys, defaults too, and once")
  func values() throws {
    let content = try Self.content(Self.yaml)
    let expected = [
      ("seed", "1"), ("duration", "20 min"), ("model.types.page.count", "500"),
      ("model.shapes.pages.types", "[0]"), ("writers", "1"), ("writers.laptop.rate", "0.5"),
      ("users.desktop.think.mean", "2 s"), ("users.desktop.visits.length", "5 min"),
      ("users.desktop.activities.look.share", "1.0"), ("faults.0.kind", "partition"),
      ("network.delay", "5 ms"), ("server.replay-events", "100"),
    ]
    for (path, text) in expected {
      #expect(Self.value(path, content.workload) == text, "\(path)")
    }
    for (path, text) in [
      ("cache.capacity-entities", "700"),
      ("cache.time-to-live.pages", "30 s"),
      ("policies.mine.preset", "lru"), ("policies.mine.capacity-entities", "10 entities"),
      ("goal.metric", "bytes_fetched"),
      ("targets.hit_ratio[pages].at_least.mine", "0.7"),
      ("targets.read_wait[all] p95.at_most", "50000000.0"),
    ] {
      #expect(Self.value(path, content.contenders) == text, "\(path)")
    }
    let withoutFaults = try Self.content(
      Self.yaml.replacing("  - {kind: partition, at: 5 min, for: 1 min}\n", with: "")
        .replacing("faults:\n", with: ""))
    #expect(Self.value("faults", withoutFaults.workload) == "[]")
    let paths = (content.workload + content.contenders).map(\.path)
    #expect(Set(paths).count == paths.count)
    // Values that repeat or follow from others would fill the manifest of a baseline.
    for path in [
      "model.types.page.name", "model.types.page.fields.name.slot", "writers.laptop.name",
    ] {
      #expect(!paths.contains(path), "\(path)")
    }
    #expect(!paths.contains { $0.hasSuffix("-node") })
    #expect(
      paths.allSatisfy { !$0.split(separator: ".").contains("place") },
      "where something stands is no content: \(paths.filter { $0.contains("place") })")
  }

  @Test("A command is content under the name of its policy")
  func command() throws {
    let yaml = Self.yaml.replacing(
      "policies: [lru, {",
      with: "policies: [{name: other, command: 'python3 cache.py --ttl 5'}, lru, {")
    let content = try Self.content(yaml)
    #expect(Self.value("policies.other.command", content.contenders) == "python3 cache.py --ttl 5")
    #expect(Self.value("policies.other.preset", content.contenders) == nil)
    #expect(content.workload == (try Self.content(Self.yaml)).workload)
  }

  @Test("Comments, order, units and defaults that are spelled out are not content")
  func writing() throws {
    let content = try Self.content(Self.yaml)
    let lines = Self.yaml.split(separator: "\n").map(String.init)
    let reversed = lines.filter { !$0.hasPrefix(" ") }.reversed().flatMap { key in
      [key] + lines.drop { $0 != key }.dropFirst().prefix { $0.hasPrefix(" ") }
    }.joined(separator: "\n")
    for other in [
      "# why\n" + Self.yaml, reversed + "\n", "description: other words\n" + Self.yaml,
      Self.yaml.replacing("20 min", with: "1200 s"),
      Self.yaml.replacing("30/min", with: "0.5/s"), Self.yaml + "warm-up: 20 %\n",
    ] {
      #expect(try Self.content(other) == content, "\(other)")
    }
  }

  @Test(
    "Events of a scenario are its workload; the caches that receive them are contenders",
    arguments: [
      ("duration: 20 min", "duration: 21 min", true), ("name: one", "name: one\nseed: 2", true),
      ("count: 500", "count: 501", true), ("rate: 30/min", "rate: 31/min", true),
      ("think: 2 s", "think: 3 s", true), ("at: 5 min", "at: 6 min", true),
      ("name: one", "name: one\nnetwork: {loss: 1 %}", true),
      ("name: one", "name: one\nserver: {replay-events: 5 events}", true),
      ("first: 9 rows", "first: 7 rows", true), ("edit: 60 %, add: 40 %", "edit: 100 %", true),
      ("entities: 700 entities", "entities: 701 entities", false),
      ("pages: 30 s", "pages: 31 s", false), ("[lru, ", "[lru, ttl, ", false),
      ("preset: lru", "preset: ttl", false),
      ("minimise: bytes_fetched", "minimise: fetches", false),
      ("at-least: 70 %", "at-least: 71 %", false), ("statistic: p95", "statistic: p99", false),
    ])
  func parts(old: String, new: String, isWorkload: Bool) throws {
    let content = try Self.content(Self.yaml)
    let changed = try Self.content(Self.yaml.replacing(old, with: new))
    #expect((changed.workload != content.workload) == isWorkload)
    #expect((changed.contenders != content.contenders) == !isWorkload)
  }

  /// The keys of a section, and the names under which reflection finds its values.
  private static func names<Section: ScenarioSection>(
    _ section: Section
  ) -> (keys: [String], values: Set<String>) {
    (
      Section.fields.map(\.name),
      Set(Mirror(reflecting: section).children.compactMap(\.label).map(ScenarioContent.key))
    )
  }

  @Test("A difference is named as the file spells it")
  func keys() {
    let sections = [
      Self.names(Scenario()), Self.names(WritersSection()), Self.names(UsersSection()),
      Self.names(NetworkSection()), Self.names(FaultSection()), Self.names(ServerSection()),
      Self.names(VisitSection()), Self.names(ThinkTime()), Self.names(BurstSection()),
    ]
    for (keys, values) in sections {
      // The data are held as the model that is read of them.
      let words: Set = ["description", "for", "data", "batches-of"]
      for key in keys where !words.contains(key) {
        #expect(values.contains(key), "\(key) is none of \(values.sorted())")
      }
    }
  }
}
