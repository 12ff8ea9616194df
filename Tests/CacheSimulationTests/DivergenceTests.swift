import CacheModel
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Divergence: planted defects are found, races are survived", .timeLimit(.minutes(30)))
struct DivergenceTests {
  /// The delivered event differs from the one that the server committed.
  private func forged() -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let change = tiny.change(file, at: 2, name: 2)
    tiny.deliver(change, at: 3)
    var workload = tiny.workload
    // A job's progress has the sequence of the change: the cache believes that it has followed.
    var infrastructure = workload.mutations[0]
    infrastructure.kind = .infrastructure
    infrastructure.at = TinyWorkload.instant(2.5)
    workload.mutations.append(infrastructure)
    workload.mutations[1].items = 1..<1
    workload.clients[0].deliveries[0].content = .event(mutation: 1)
    return workload
  }

  @Test("An event lost without a gap leaves a query that is called fresh and is not")
  func lostWithoutGap() throws {
    let error = try #require(throws: DivergenceError.self) {
      try Simulation.run(workload: forged(), policyName: "lru", composition: composition())
    }
    #expect(error.client == "client")
    #expect(error.seed == 1)
    guard case .query(let spec, let cached, let truth) = error.finding else {
      Issue.record("\(error)")
      return
    }
    #expect(spec.kind == .directory)
    #expect(cached == [Handle(object: 1, revision: 1)])
    #expect(truth == [Handle(object: 1, revision: 2)])
    #expect(error.description.contains("tiny, policy lru, client client, seed 1, step"))
  }

  @Test("An observer that is not notified of a change has missed a notification")
  func untold() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    let change = tiny.change(file, at: 50, name: 2)
    var client = try ClientSimulation(
      Simulation(of: tiny.workload), client: 0, policy: "lru", composition: composition())
    while let next = client.nextInstant() { try client.takeStep(at: next) }
    try client.checkViews()
    client.pass(to: TinyWorkload.instant(51))
    client.store.receive(
      client.server.event(of: tiny.workload.mutations[Int(change)]), at: client.now)
    // The cache names the views to notify, and none is notified.
    #expect(!client.store.takeActions().isEmpty)
    var missed: DivergenceError?
    do { try client.checkViews() } catch let error as DivergenceError { missed = error }
    guard case .missedNotification(_, let told, let shows) = missed?.finding else {
      Issue.record("not noticed: \(String(describing: missed))")
      return
    }
    #expect(told == [Handle(object: 1, revision: 1)])
    #expect(shows == [Handle(object: 1, revision: 2)])
    #expect(client.tally.missedNotifications == 1)
  }

  @Test("Views are compared at every heartbeat, not at the end alone")
  func comparedAtHeartbeats() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    let change = tiny.change(file, at: 50, name: 2)
    tiny.heartbeat(1, at: 60)
    let workload = tiny.workload
    var client = try ClientSimulation(
      Simulation(of: workload), client: 0, policy: "lru", composition: composition())
    while let next = client.nextInstant(), next < TinyWorkload.instant(55) {
      try client.takeStep(at: next)
    }
    client.pass(to: TinyWorkload.instant(55))
    client.store.receive(
      client.server.event(of: workload.mutations[Int(change)]), at: client.now)
    #expect(!client.store.takeActions().isEmpty)
    var missed: DivergenceError?
    do {
      try client.takeStep(at: TinyWorkload.instant(60))
    } catch let error as DivergenceError { missed = error }
    #expect(missed?.at == TinyWorkload.instant(60))
    guard case .missedNotification = missed?.finding else {
      Issue.record("not noticed: \(String(describing: missed))")
      return
    }
  }

  @Test("A composition that promises nothing is counted, not stopped")
  func counted() throws {
    let values = try values(of: forged(), composition(membership: .blind))
    #expect(values[.divergentQueries] == 1)
    #expect(values[.divergentEntities] == 1)
  }

  @Test("A first answer that overtakes an earlier one does not hide the changes in between")
  func overtakenBaseline() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    for name in 2...5 { _ = tiny.file(name: UInt64(name)) }
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 1))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 1.02)
    // The server answers the directory at 1.05 s, and the smaller query, which arrives first, at
    // 1.07 s.
    let change = tiny.change(file, at: 1.06, name: 9)
    tiny.deliver(change, at: 1.3)
    // By then the gap was seen, and the missed events were replayed.
    tiny.act(.read(query: 0), at: 3)
    var workload = tiny.workload
    workload.network.bytesPerSecond = 10_000
    let values = try values(of: workload, composition())
    #expect(values[.divergentQueries] == 0)
    #expect(values[.hitStale] == 0)
  }
}
