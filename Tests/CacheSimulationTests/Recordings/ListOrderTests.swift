import CacheModel
import CacheTestSupport
import RecordingCodec
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
      data:
        use: files
        entities: {file: {count: 5_000, has: {parent: {tree: {depth: 2, fan-out: 8}}}}}
        operations:
          move: {batch: {mean: 2, beside: parent}}
          tag: {batch: {mean: 2, beside: parent}}
      writers:
        - name: laptop
          rate: 2/s
          mix: {create: 20 %, modify: 40 %, rename: 15 %, move: 10 %, delete: 5 %, tag: 10 %}
      users:
        - name: phone
          watched: [albums.list, tags.list, files.recents]
          think: 300 ms
          mix: {browse: 60 %, album: 15 %, tag: 15 %, recents: 10 %}
          activities:
            browse: [{stroll: {through: files.directory, revisit: 60 %}}]
            album: [visit: albums.files]
            tag: [visit: tags.files]
            recents: [visit: files.recents]
      network: {delay: 20 ms, round-trip: 40 ms, bandwidth: 20 MB/s, loss: 1 %, heartbeat: 2 s}
      policies: [lru]
      """
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "lively.yaml", vocabulary: .unchecked, models: .shipped)
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
    return (
      sum(.hitFresh) + sum(.hitStale) + sum(.hitUnknown), sum(.hitFresh), sum(.missInvalidated)
    )
  }

  @Test("A cache patches an app's lists in any order that the app shows", arguments: 0...1)
  func asShown(seed: UInt64) throws {
    let workload = try Self.unlimited(seed: UInt64(seed))
    let usual = try Self.served(ShownLog.make(from: workload, .own, isAsShown: false))
    #expect(usual.asShown > 30)
    for rows in ShownLog.Rows.allCases {
      let shown = try Self.served(ShownLog.make(from: workload, rows, isAsShown: true))
      #expect(shown == usual, "\(rows)")
    }
  }

  @Test("Without its order, a list in another order is marked stale by its changes")
  func withoutOrder() throws {
    let workload = try Self.unlimited(seed: 1)
    let usual = try Self.served(ShownLog.make(from: workload, .own, isAsShown: false))
    let mistaken = try Self.served(ShownLog.make(from: workload, .newestFirst, isAsShown: false))
    #expect(mistaken.invalidated > usual.invalidated)
    #expect(mistaken.hits < usual.hits)
  }
}

/// Makes logs of an app that shows what its server has, in an order of its own.
enum ShownLog {
  /// The order of rows in the app.
  enum Rows: CaseIterable {
    /// As the queries have it.
    case own
    /// The latest version first, whatever it is of.
    case newestFirst
    /// By the number of the object, the last first: nothing in a state tells it.
    case backwards
  }

  /// - Parameters:
  ///   - workload: of known truth, whose queries have no limit that they reach.
  ///   - rows: the order in which the app shows them.
  ///   - isAsShown: whether the log declares no order.
  /// - Returns: the same workload, as an app would log it.
  static func make(
    from workload: Workload, _ rows: Rows, isAsShown: Bool
  ) -> Workload {
    var log = workload
    log.truth = .observed
    let truth = StateOrder(of: workload)
    for (client, script) in workload.clients.enumerated() {
      var server = SimulatedServer(workload, order: truth)
      for (number, action) in script.actions.enumerated() {
        server.advance(to: action.at)
        guard case let shown? = answer(to: action.kind, by: &server) else { continue }
        let read = ObservedRead(client: client, action: number)
        log.observedResults[read] = sorted(shown, rows, workload.catalog).map(\.revision)
        // The app has no cache: it shows only the server's answers.
        log.recordedOutcomes[read] = .miss
      }
    }
    if isAsShown {
      for shape in log.model.shapes.indices { log.model.shapes[shape].order = [] }
    }
    return log
  }

  private static func answer(
    to action: SessionAction.Kind, by server: inout SimulatedServer
  ) -> [Handle]? {
    switch action {
    case .read(let query), .redraw(let query), .observe(let query):
      return server.answer(Int(query)).rows
    case .open(let object, _):
      let revision = server.current[Int(object)]
      return revision == SimulatedServer.noRevision
        ? [] : [Handle(object: object, revision: revision)]
    case .unobserve, .tag, .write, .maintenance: return nil
    }
  }

  private static func sorted(_ shown: [Handle], _ rows: Rows, _ catalog: Catalog) -> [Handle] {
    switch rows {
    case .own: return shown
    case .newestFirst:
      return shown.sorted {
        let (left, right) = (
          catalog.revisions[Int($0.revision)], catalog.revisions[Int($1.revision)]
        )
        return left.version != right.version
          ? right.version < left.version : left.object < right.object
      }
    case .backwards: return shown.sorted { $0.object > $1.object }
    }
  }
}
