import CacheModel
import CacheTestSupport
import ResultModel
import Testing

@testable import Workloads

@Suite("Sections that a scenario file lends to a recording")
struct LentScenarioTests {
  private static let app = """
    name: shelf
    duration: 4 min
    drain: 10 s
    data:
      entities:
        shelf: {count: 9 shelfs, size: 300 B, has: {name: text}}
        item: {count: 200 items, size: 400 B, has: {shelf: one shelf, added: {time: 9 d}}}
      queries:
        shelves: {list: shelf, order: name, first: 9 rows}
        items: {list: item, where: shelf is subject, order: added descending, first: 5 rows}
    users:
      - {name: buyer, think: 1 s, mix: {stroll: 100 %}, activities: {stroll: [visit: shelves]}}
    network: {round-trip: 30 ms, events: none}
    policies: [lru]

    """

  private static func recording() throws -> Workload {
    let scenario = try Scenario.parse(app.bytes, file: "shelf.yaml", vocabulary: .unchecked)
    return try SessionRecording.read(
      SessionRecording.write(Workload.generate(scenario, seed: 1)))
  }

  private static func lent(_ yaml: String) throws -> LentScenario {
    let workload = try recording()
    return try LentScenario(
      ScenarioDocument(yaml.bytes, file: "limits.yaml"), to: workload, of: workload.model,
      vocabulary: .unchecked)
  }

  @Test("Limits, policies, goal, network and server are lent by a file that has nothing else")
  func lends() throws {
    let lent = try Self.lent(
      """
      cache: {capacity-entities: 50 entities, time-to-live: {items: 60 s}}
      policies: [lru, {name: mine, preset: ttl, time-to-live: {shelves: 10 s}}]
      goal: {minimise: read_wait}
      network: {round-trip: 200 ms, loss: 5 %}
      server: {replay-events: 7 events}

      """)
    #expect(lent.sections == ["cache", "policies", "goal", "network", "server"])
    #expect(lent.unused == [] && lent.unusedFields == ["network.loss"])
    #expect(lent.scenario.cache.capacity.entities == 50)
    #expect(lent.scenario.policies.map(\.name) == ["lru", "mine"])
    #expect(lent.scenario.goal.metric == .readWait)
    let before = try Self.recording()
    let after = lent.applied(to: before)
    #expect(after.network.minimumRoundTrip == 200_000_000)
    #expect(after.network.meanExtra == before.network.meanExtra)
    #expect(after.retention.events == 7 && after.retention.age == before.retention.age)
    #expect(after.clients == before.clients)
  }

  @Test("Sections of a whole scenario about the stream are the recording's own, and are listed")
  func whole() throws {
    let lent = try Self.lent(Self.app)
    #expect(lent.sections == ["network", "policies"])
    #expect(lent.unused == ["name", "duration", "drain", "data", "users"])
    #expect(try lent.applied(to: Self.recording()) == Self.recording())
  }

  @Test(
    "A name that the recording has not is an error with place and remedy",
    arguments: [
      ("cache: {time-to-live: {itms: 60 s}}", "limits.yaml:1:24", "time-to-live.items"),
      (
        "policies: [{name: a, preset: ttl, time-to-live: {rooms: 9 s}}]", "limits.yaml:1",
        "time-to-live.rooms"
      ),
      ("data: {queries: {rooms: {list: room}}}", "limits.yaml:1", "no query `rooms`"),
      ("data: {entities: {itm: {count: 9}}}", "limits.yaml:1", "did you mean `item`?"),
      (
        "data: {queries: {a: {list: b}, c: {list: b}, d: {list: b}, e: {list: b}}}",
        "limits.yaml:1:18", "the recording has no `a`, no `c` and 2 more: it is of another app"
      ),
      ("cash: {capacity-entities: 5}", "limits.yaml:1", "did you mean `cache`?"),
      ("network: {events: push}", "limits.yaml:1", "the recording has no events"),
      (
        "policies: [lru]\ntargets: [{metric: hit_ratio, at-least: 5 %, policies: [ttl]}]",
        "limits.yaml:2", "policy `ttl` is not among"
      ),
      (
        "policies: [lru]\ntargets: [{metric: hit_ratio, class: itms, at-least: 5 %}]",
        "limits.yaml:2:38", "unknown class `itms`; did you mean `items`?"
      ),
    ])
  func strangers(yaml: String, place: String, words: String) throws {
    let error = #expect(throws: ScenarioError.self) { try Self.lent(yaml + "\n") }
    let text = "\(try #require(error))"
    #expect(text.contains(place) && text.contains(words), "\(text)")
  }

  @Test("The names of an app are those of all its recordings, and a method goes by its name")
  func names() throws {
    let whole = try Self.recording().model
    let part = DataModel(types: [whole.types[1]], shapes: [whole.shapes[1]])
    #expect(DataModel(namesOf: [part, whole]).shapes.map(\.name) == ["items", "shelves"])
    let items = DataModel.kind(ofShape: 1).method
    #expect(whole.method(items, in: part) == DataModel.kind(ofShape: 0).method)
    #expect(whole.method(DataModel.kind(ofShape: 0).method, in: part) == nil)
    var policy = try #require(
      try Self.lent("cache: {time-to-live: {items: 60 s, shelves: 5 s}}\n")
        .scenario.composition(for: "ttl"))
    policy = policy.renumbered { whole.method($0, in: part) }
    #expect(
      policy.freshness.perMethod == [DataModel.kind(ofShape: 0).method: .seconds(60)])
  }
}
