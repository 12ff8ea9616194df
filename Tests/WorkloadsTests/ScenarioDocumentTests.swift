import CacheModel
import Testing

@testable import Workloads

@Suite("A scenario's fields by their paths")
struct ScenarioDocumentTests {
  private static let yaml = """
    name: fields
    description: "Two: things, # and 'quotes'"
    duration: 30 min
    data:
      entities: {page: {count: 90, size: {mean: 2 kB, deviation: 9 B}, has: {in: one page, name: text}}}
      queries:
        inside: {list: page, where: in is subject, order: name, first: 9 rows}
        pages: {list: page, order: name, first: 9 rows}
        pages.search: {list: page, where: name begins with typed, order: name, first: 9 rows}
      operations: {add: {create: page}, edit: {set: page.name}}
    writers:
      - {name: laptop, rate: 1/min, mix: {edit: 100 %}, burst: {every: 5 min}}
      - {rate: 2/min, mix: {add: 100 %}}
    users:
      - name: desktop
        think: 3 s
        mix: {look: 75 %, walk: 25 %}
        activities: {look: [visit: pages, open: 1 rows], walk: [stroll: {through: inside, moves: 4}]}
      - {name: phone, think: {mean: 5 s, distribution: exponential}, mix: {look: 100 %}, activities: {look: [type: pages.search]}}
    faults: []
    cache: {time-to-live: {pages.search: 60 s}}
    policies:
      - lru
      - {name: own, preset: spacedrive, time-to-live: 1 h}
    goal: {subject-to: ['stale_read_share <= 1 %']}

    """

  private func document() throws -> ScenarioDocument {
    try ScenarioDocument(Array(Self.yaml.utf8), file: "fields.yaml")
  }

  private func scenario(_ path: String, _ text: String) throws -> Scenario {
    try document().setting(path, to: text).scenario(vocabulary: .unchecked)
  }

  @Test("Any field is set as a file would set it")
  func sets() throws {
    #expect(try scenario("network.loss", "31 %").network.loss == 0.31)
    #expect(try scenario("writers.laptop.rate", "30/min").writers[0].rate == 0.5)
    #expect(try scenario("writers.laptop.burst.operations", "9").writers[0].burst?.operations == 9)
    #expect(try scenario("writers.1.rate", "1/s").writers[1].rate == 1)
    #expect(try scenario("users.desktop.think", "9 s").users[0].think.mean == .seconds(9))
    #expect(try scenario("data.entities.page.count", "70").model.types[0].count == 70)
    #expect(
      try scenario("cache.time-to-live.pages.search", "5 s").cache.timeToLivePerMethod[
        DataModel.kind(ofShape: 2)] == .seconds(5))
    let steps = try scenario("users.desktop.activities.walk.0.stroll.moves", "7").users[0]
      .activities[1].steps
    #expect(steps.map(\.action) == [.stroll(ActivityStep.Stroll(shape: 0, moves: 7))])
    #expect(try scenario("duration", "1 h").duration == .seconds(3_600))
  }

  @Test("A mean inside a section is set there, and the rest of it stays")
  func meanInSection() throws {
    let users = try scenario("users.phone.think", "9 s").users
    #expect(users[1].think.mean == .seconds(9))
    #expect(users[1].think.distribution == .exponential)
  }

  @Test("Every quantity of the workload that a scenario states can be set to its own value")
  func everyField() throws {
    let document = try document()
    let before = ScenarioContent(try document.scenario(vocabulary: .unchecked))
    for (path, text) in [
      ("duration", "30 min"), ("writers.laptop.rate", "1/min"),
      ("writers.laptop.burst.every", "5 min"), ("data.entities.page.count", "90 pages"),
      ("users.desktop.think", "3 s"), ("users.phone.think", "5 s"),
      ("users.phone.mix.look", "100 %"), ("users.desktop.mix.walk", "25 %"),
      ("users.desktop.activities.look.1.open", "1 rows"),
      ("cache.time-to-live.pages.search", "60 s"),
    ] {
      let after = ScenarioContent(
        try document.setting(path, to: text).scenario(vocabulary: .unchecked))
      #expect(after == before, "\(path)")
    }
  }

  @Test(
    "A value that differs by query or by origin is below its field, and is written back there")
  func valuesByName() throws {
    let cache = "{time-to-live: {default: 300 s, rooms.latest: 60 s}, membership: {user: blind}}"
    let policy = "{name: b, preset: lru, time-to-live: {rooms: 5 s}}"
    let yaml = Array("cache: \(cache)\npolicies: [lru, \(policy)]\n".utf8)
    let written = try ScenarioDocument(yaml, file: "a.yaml").yaml
    let again = try ScenarioDocument(written, file: "a.yaml").yaml
    #expect(again == written)
    let text = String(decoding: written, as: UTF8.self)
    for line in [
      "  time-to-live:\n    default: 300 s\n    rooms.latest: 60 s\n",
      "  membership:\n    user: blind\n", "    time-to-live:\n      rooms: 5 s\n",
    ] { #expect(text.contains(line), "\(text)") }
  }

  @Test("A value by query as a separate key is refused with the section to write instead")
  func pointedKey() {
    let error = #expect(throws: ScenarioError.self) {
      try ScenarioDocument(
        Array("cache:\n  time-to-live.rooms.latest: 60 s\n".utf8), file: "a.yaml")
    }
    #expect(
      error?.description
        == "a.yaml:2:3: `time-to-live.rooms.latest` is not a key of its own; "
        + "write `time-to-live: {rooms.latest: …}`")
  }

  @Test(
    "A path that leads nowhere names the nearest field",
    arguments: [
      ("loss", "did you mean `network.loss`?"), ("rate", "did you mean `writers.NAME.rate`?"),
      ("network.los", "did you mean `loss`?"), ("netwrok.loss", "did you mean `network`?"),
      ("writers.latop.rate", "did you mean `laptop`?"), ("writers", "is a list"),
      ("writers.laptop", "is a list"), ("network", "is a section"),
      ("users.desktop.mix", "is a section"), ("network.loss.x", "no field"), ("", "no field"),
      ("users.desktop.mix.wolk", "did you mean `walk`?"),
      ("users.desktop.activities.walk.0.stroll.move", "did you mean `moves`?"),
      ("network.", "no field"), ("writers.9.rate", "has no `9`"), (".", "no field"),
    ])
  func unknown(path: String, remedy: String) throws {
    let error = try #require(throws: ScenarioError.self) { try document().field(path) }
    #expect("\(error)".contains(remedy), "\(error)")
  }

  @Test(
    "A path cannot set a value that a file cannot have",
    arguments: [
      ("network.loss", "nan"), ("network.loss", "101 %"), ("network.loss", "5"),
      ("network.loss", "100 %"), ("users.desktop.think", "3 MB"), ("drain", "2 h"),
      ("users.desktop.mix.look", "50 %"), ("data.entities.page.count", "some"),
    ])
  func refused(path: String, text: String) throws {
    #expect(throws: ScenarioError.self) { try scenario(path, text) }
  }

  @Test("Written as YAML it reads back as the same scenario, quotes and all")
  func writes() throws {
    let document = try document()
    let again = try ScenarioDocument(document.yaml, file: "again.yaml")
    let (one, other) = (
      try document.scenario(vocabulary: .unchecked), try again.scenario(vocabulary: .unchecked)
    )
    #expect(ScenarioContent(one) == ScenarioContent(other))
    #expect(one.summary == other.summary && one.summary.contains("#"))
    #expect(again.yaml == document.yaml)
  }

  @Test("Its policies are replaced, and the keys of an entry are found")
  func policies() throws {
    let document = try document()
    #expect(document.policy("lru")?.preset == "lru")
    let own = try #require(document.policy("own"))
    #expect(own.preset == "spacedrive" && own.fields.map(\.field) == ["time-to-live"])
    #expect(document.policy("none") == nil)
    let scenario = try document.replacingPolicies(by: [
      (name: "best", base: .preset("lru"), fields: [("time-to-live", "2 h")]),
      (name: "mine", base: .command("python3 cache.py"), fields: []),
    ]).scenario(vocabulary: .unchecked)
    #expect(scenario.policies.map(\.name) == ["best", "mine"])
    let targets = "targets: [{metric: fresh_hit_ratio, policies: [own], at-least: 9 %}]\n"
    let bound = try ScenarioDocument(Array((Self.yaml + targets).utf8), file: "fields.yaml")
    #expect(try bound.scenario(vocabulary: .unchecked).targets.count == 1)
    let best = bound.replacingPolicies(by: [(name: "best", base: .preset("lru"), fields: [])])
    #expect(try best.scenario(vocabulary: .unchecked).targets.isEmpty)
    #expect(scenario.policies.map(\.command) == [nil, "python3 cache.py"])
    #expect(scenario.composition(for: "best")?.freshness.timeToLive == .seconds(7_200))
  }

  @Test("A policy joins the list, or takes the place of the one of its name")
  func addsPolicy() throws {
    let document = try document()
    let names = try document.scenario(vocabulary: .unchecked).policies.map(\.name)
    let more = document.addingPolicy((name: "best", base: .preset("lru"), fields: []))
    #expect(try more.scenario(vocabulary: .unchecked).policies.map(\.name) == names + ["best"])
    for name in ["lru", "own"] {
      let other = try document.addingPolicy(
        (name: name, base: .preset("ttl"), fields: [("time-to-live", "2 h")])
      ).scenario(vocabulary: .unchecked)
      #expect(other.policies.map(\.name) == names)
      #expect(other.composition(for: name)?.freshness.timeToLive == .seconds(7_200))
    }
    #expect(
      document.addingPolicy((name: "lru", base: .preset("lru"), fields: [])).yaml == document.yaml)
  }

  @Test("A policy's own fields apply whatever its preset uses")
  func ownFields() throws {
    let scenario = try document().scenario(vocabulary: .unchecked)
    #expect(scenario.composition(for: "lru")?.freshness.timeToLive == nil)
    let own = scenario.composition(for: "lru", with: [("time-to-live", "5 min")])
    #expect(own?.freshness.timeToLive == .seconds(300))
    let twice = scenario.composition(for: "own", with: [("time-to-live", "5 min")])
    #expect(twice?.freshness.timeToLive == .seconds(300))
  }
}
