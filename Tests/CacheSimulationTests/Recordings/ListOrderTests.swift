import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Orders of lists that a recording says", .timeLimit(.minutes(30)))
struct ListOrderTests {
  /// Many reads of lists in which much changes, on a network that loses events.
  private static func lively(seed: UInt64) throws -> Workload {
    let yaml = """
      name: lively
      description: Lists that change while they are read.
      seed: 1
      duration: 120 s
      drain: 20 s
      library: {shape: small}
      devices:
        - name: laptop
          count: 1 devices
          rate: 2/s
          mix: {create: 20 %, modify: 40 %, rename: 15 %, move: 10 %, delete: 5 %, tag: 10 %}
          selection: 2 files
      sessions:
        - name: phone
          clients: 1 clients
          watched: [albums.list, tags.list, files.recents]
          mix: {browse: 60 %, album: 15 %, tag: 15 %, recents: 10 %}
          think: 300 ms
          revisit: 60 %
      network: {delay: 20 ms, round-trip: 40 ms, bandwidth: 20 MB/s, loss: 1 %, heartbeat: 2 s}
      policies: [lru]
      """
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "lively.yaml", vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  /// Without windows, since what falls out of one hangs on the order.
  private static func unlimited(seed: UInt64) throws -> Workload {
    var workload = try lively(seed: seed)
    for query in workload.queries.indices { workload.queries[query].limit = 100_000 }
    return workload
  }

  /// The user's reads of queries that were served, those of them that looked as the app showed them,
  /// and those that waited for having been marked stale.
  private static func served(
    _ workload: Workload
  ) throws -> (hits: Int, asShown: Int, invalidated: Int) {
    let result = try Simulation(of: workload).run(policy: "test", composition: composition())
    let tallies = result.tally.queries
    func sum(_ outcome: Outcome) -> Int { tallies.reduce(0) { $0 + $1[outcome] } }
    return (sum(.hitFresh) + sum(.hitStale), sum(.hitFresh), sum(.missInvalidated))
  }

  @Test("In whatever order an app shows its lists, a cache patches them as well", arguments: 0...1)
  func asShown(seed: UInt64) throws {
    let workload = try Self.unlimited(seed: UInt64(seed))
    let usual = try Self.served(ShownLog.make(from: workload, .own, order: nil))
    #expect(usual.asShown > 30)
    for rows in ShownLog.Rows.allCases {
      let shown = try Self.served(ShownLog.make(from: workload, rows, order: .asShown))
      #expect(shown == usual, "\(rows)")
    }
  }

  @Test("Without its order, a list in another order is marked stale by what changes in it")
  func withoutOrder() throws {
    let workload = try Self.unlimited(seed: 1)
    let usual = try Self.served(ShownLog.make(from: workload, .own, order: nil))
    let mistaken = try Self.served(ShownLog.make(from: workload, .newestFirst, order: nil))
    #expect(mistaken.invalidated > usual.invalidated)
    #expect(mistaken.hits < usual.hits)
  }

  @Test("A cache and a server that sort by other orders agree", arguments: 0...1)
  func knownTruth(seed: UInt64) throws {
    var workload = try Self.lively(seed: UInt64(seed))
    for query in workload.queries.indices {
      // Every third keeps its own.
      workload.queries[query].order = [nil, .name, .modifiedDescending][query % 3]
    }
    let rows = try Simulation.run(
      workload: workload, policyName: "test", composition: composition())
    func value(_ metric: Metric) -> Double? {
      rows.first { $0.class == "total" && $0.metric == metric }?.value?.asDouble
    }
    #expect(value(.notificationsMissed) == 0)
    #expect(value(.divergentQueries) == 0)
    #expect(try #require(value(.hitFresh)) > 30)
  }

  @Test("A query that says the order of its kind behaves as one that says none")
  func ownOrder() throws {
    let workload = try RandomWorkloadTests.workload(seed: 2)
    var said = workload
    for query in said.queries.indices {
      let kind = said.queries[query].kind
      said.queries[query].order =
        kind == .recents || kind == .media ? .modifiedDescending : .name
    }
    func rows(_ workload: Workload) throws -> [ResultRow] {
      try Simulation.run(workload: workload, policyName: "test", composition: composition())
        .filter { $0.metric != .predictedBytes }
    }
    #expect(try rows(said) == rows(workload))
  }

  @Test("Two queries that differ in their order alone are two, each with its own answer")
  func twoOrders() throws {
    var tiny = TinyWorkload()
    let first = tiny.file(name: 1)
    let second = tiny.file(name: 2)
    tiny.queries.append(tiny.queries[0])
    tiny.queries[1].order = .modifiedDescending
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 2)
    // The second is the latest now: it comes first in one list, and stays the last in the other.
    tiny.deliver(tiny.change(second, at: 3, name: 2, modified: 5), at: 3.1)
    tiny.act(.read(query: 0), at: 4)
    tiny.act(.read(query: 1), at: 4)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 2, .hitFresh: 2])
    let simulation = Simulation(of: tiny.workload)
    var server = SimulatedServer(tiny.workload, order: simulation.order)
    server.advance(to: TinyWorkload.instant(4))
    #expect(server.answer(0).rows.map(\.object) == [first, second])
    #expect(server.answer(1).rows.map(\.object) == [second, first])
  }
}
