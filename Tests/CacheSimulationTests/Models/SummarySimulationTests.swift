import CacheModel
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("An app whose lists show summaries", .timeLimit(.minutes(30)))
struct SummarySimulationTests {
  private static func rows(
    _ workload: Workload, _ preset: Preset, capacity: Int = 10_000, lifetime: Int64 = 30
  ) throws -> (rows: [ResultRow], promises: Bool) {
    let composition = preset.composition(
      Preset.Allowance(
        capacity: Capacity(entities: capacity), maximumQueries: 20,
        freshness: Freshness(timeToLive: .seconds(lifetime))))
    let result = try Simulation(of: workload).run(policy: preset.name, composition: composition)
    return (result.rows, composition.promisesConvergence)
  }

  private static func value(
    _ metric: Metric, _ name: ResultClass = "total", in rows: [ResultRow]
  ) -> Double {
    rows.first { $0.class == name && $0.metric == metric }?.value?.asDouble ?? -1
  }

  @Test("Nothing diverges under any preset, and nobody misses anything", arguments: 1...3)
  func invariants(seed: UInt64) throws {
    let workload = try TalkScenario.summaries(seed: seed)
    #expect(workload.model.shapes.count(where: \.showsSummaries) == 4)
    for preset in Preset.all {
      let (rows, promises) = try Self.rows(workload, preset, capacity: seed == 1 ? 10_000 : 60)
      #expect(Self.value(.notificationsMissed, in: rows) == 0, "\(preset.name)")
      #expect(Self.value(.reads, in: rows) > 100)
      guard promises else { continue }
      #expect(Self.value(.divergentQueries, in: rows) == 0, "\(preset.name)")
      #expect(Self.value(.divergentEntities, in: rows) == 0, "\(preset.name)")
    }
  }

  @Test("Lists of summaries cost fewer bytes and weigh less, and single rows are fetched besides")
  func bytes() throws {
    let preset = try #require(Preset.all.first { $0.name == "unbounded" })
    let summaries = try Self.rows(TalkScenario.summaries(seed: 1), preset).rows
    let wholes = try Self.rows(TalkScenario.workload(seed: 1), preset).rows
    func value(_ metric: Metric, _ name: ResultClass = "total") -> (Double, Double) {
      (Self.value(metric, name, in: summaries), Self.value(metric, name, in: wholes))
    }
    let fetched = value(.bytesFetched)
    #expect(fetched.0 > 0 && fetched.0 < fetched.1 * 0.7, "\(fetched)")
    let weight = value(.residentWeight)
    #expect(weight.0 < weight.1, "\(weight)")
    let partial = value(.partial, "entity")
    #expect(partial.0 > 0 && partial.1 == 0, "\(partial)")
  }

  @Test("A user who looks at a summary is not stale by changes that it does not show")
  func staleness() throws {
    // Nothing is pushed: what changes shows when it is asked for again.
    var summaries = try TalkScenario.summaries(seed: 2)
    var wholes = try TalkScenario.workload(seed: 2)
    for client in summaries.clients.indices {
      summaries.clients[client].deliveries = []
      wholes.clients[client].deliveries = []
    }
    summaries.pushesEvents = false
    wholes.pushesEvents = false
    let preset = try #require(Preset.all.first { $0.name == "ttl" })
    let stale = try [summaries, wholes].map {
      Self.value(.hitStale, "thread", in: try Self.rows($0, preset, lifetime: 120).rows)
    }
    #expect(stale[1] > 0 && stale[0] < stale[1], "\(stale)")
  }

  @Test("A slot's handle says whether it is a summary, and is as small as before")
  func handle() {
    let whole = Handle(object: 7, revision: 9)
    #expect(MemoryLayout<Handle>.size == 8)
    #expect(!whole.isSummary && whole.summary.isSummary)
    #expect(whole.summary.object == 7 && whole.summary.revision == 9)
    #expect(whole.summary != whole && whole.summary.inState(3).isSummary)
    #expect(!Handle.unknown.hasValue && !Handle.unknown.isSummary)
  }
}

@Suite("An app under every preset", .timeLimit(.minutes(30)))
struct PresetSimulationTests {
  @Test("Outcomes sum to reads by the model's classes, and nothing diverges", arguments: 1...3)
  func invariants(seed: UInt64) throws {
    let workload = try TalkScenario.workload(seed: seed)
    let simulation = Simulation(of: workload)
    let classes = ["inbox", "thread", "pins", "feed", "search", "page", "both"]
    for preset in Preset.all {
      let composition = preset.composition(
        Preset.Allowance(
          capacity: Capacity(entities: seed == 1 ? 10_000 : 60), maximumQueries: 20,
          freshness: Freshness(timeToLive: .seconds(30))))
      let rows = try simulation.run(policy: preset.name, composition: composition).rows
      func value(_ metric: Metric, _ name: ResultClass = "total") -> Double {
        rows.first { $0.class == name && $0.metric == metric }?.value?.asDouble ?? -1
      }
      #expect(value(.notificationsMissed) == 0, "\(preset.name)")
      if composition.promisesConvergence {
        #expect(value(.divergentQueries) == 0, "\(preset.name)")
        #expect(value(.divergentEntities) == 0, "\(preset.name)")
      }
      #expect(value(.reads) > 100)
      #expect(classes.reduce(0) { $0 + value(.reads, ResultClass($1)) } == value(.reads))
      if preset.name == "no-cache" { #expect(value(.hitRatio) == 0) }
      if preset.name == "unbounded" { #expect(value(.hitFresh) > 0) }
    }
  }

  @Test("A page after a cursor lists the following rows")
  func pages() throws {
    let workload = try TalkScenario.workload(seed: 1)
    #expect(workload.queries.contains { $0.after != Revision.noObject })
  }
}
