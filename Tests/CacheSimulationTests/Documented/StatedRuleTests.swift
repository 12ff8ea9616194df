import CacheModel
import EvictionPolicies
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// The rules of Methodology.md about the simulation.
@Suite("Rules of the simulation, as they are stated")
struct StatedRuleTests {
  @Test("The n-th request takes the least time and an exponential draw from its number")
  func extraDelay() {
    let network = NetworkModel(
      minimumRoundTrip: 10_000_000, meanExtra: 20_000_000, bytesPerSecond: nil, seed: 7)
    var timing = RequestTiming(network, client: 1)
    for number in UInt64(0)..<5 {
      var draw = RandomSource(seed: 7).substream("requests", 1).substream("request", number)
      let extra = -20_000_000 * PortableMath.log(1 - draw.unit())
      #expect(timing.nextRoundTrip() == 10_000_000 + Int64(extra))
    }
    var again = RequestTiming(network, client: 1)
    #expect((0..<3).map { _ in again.nextRoundTrip() } == [58_166_308, 12_759_112, 55_628_652])
  }

  @Test(
    "Rows of one name are ordered by type and UUID, in the server's answers and in corrected lists")
  func ties() throws {
    var tiny = TinyWorkload()
    let (first, second, third) = (tiny.file(name: 5), tiny.file(name: 5), tiny.file(name: 5))
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 1)
    // Away and back: the cache has to find the place again.
    tiny.deliver(tiny.change(second, at: 2, name: 9, modified: 1), at: 2.1)
    tiny.deliver(tiny.change(second, at: 3, name: 5), at: 3.1)
    tiny.act(.read(query: 0), at: 4)
    tiny.act(.read(query: 1), at: 4)
    let workload = tiny.workload
    #expect(outcomes(try values(of: workload, composition())) == [.missCold: 2, .hitFresh: 2])
    var server = SimulatedServer(workload, order: Simulation(of: workload).order)
    server.advance(to: TinyWorkload.instant(5))
    #expect(server.answer(0).rows.map(\.object) == [first, second, third])
    #expect(server.answer(1).rows.map(\.object) == [first, second, third], "latest first")
  }

  @Test(
    "At the instant at which a link goes down it is down, and at the one at which it is back it is up"
  )
  func instantsOfALink() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.partitions = [TinyWorkload.instant(10)..<TinyWorkload.instant(20)]
    tiny.act(.read(query: 0), at: 10)
    tiny.act(.read(query: 0), at: 20)
    #expect(outcomes(try values(of: tiny.workload, composition())) == [.failed: 1, .missCold: 1])
  }

  @Test("A request in flight when the link goes down fails when its answer would have come")
  func underWay() throws {
    for (asked, outcome) in [(9.89, Metric.missCold), (9.9, .failed), (9.95, .failed)] {
      var tiny = TinyWorkload()
      _ = tiny.file(name: 1)
      tiny.partitions = [TinyWorkload.instant(10)..<TinyWorkload.instant(20)]
      tiny.act(.read(query: 0), at: asked)
      let values = try values(of: tiny.workload, composition())
      #expect(outcomes(values) == [outcome: 1], "asked at \(asked) s, answered 100 ms later")
      #expect(values[.fetches] == 1)
    }
  }

  @Test(
    "Requests that leave are fetches: of queries, of entities and of missed events; others are not")
  func fetches() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.open(object: file), at: 2)
    tiny.partitions = [TinyWorkload.instant(10)..<TinyWorkload.instant(20)]
    tiny.act(.read(query: 0), at: 12)
    tiny.heartbeat(0, at: 3)
    _ = tiny.change(file, at: 15, name: 2)
    tiny.heartbeat(1, at: 21)
    let kept = try values(of: tiny.workload, composition())
    #expect(kept[.fetches] == 2, "the query and what was missed; the entity came with the query")
    #expect(kept[.reconciles] == 1)
    var nothing = composition(entities: 0)
    nothing.retention = .none
    #expect(try values(of: tiny.workload, nothing)[.fetches] == 3, "and the entity; not offline")
  }

  @Test("A single entity expires by its last write; one that was evicted is cold")
  func singleEntities() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    tiny.deliver(tiny.change(file, at: 8, name: 3), at: 8)
    // 9 s after the answer, 2 s after the event; then 10 s after the event.
    tiny.act(.open(object: file), at: 10.2)
    tiny.act(.open(object: file), at: 18)
    let expiring = try values(
      of: tiny.workload, composition(timeToLive: .seconds(10)), class: "entity")
    #expect(outcomes(expiring) == [.missCold: 1, .hitFresh: 1, .missExpired: 1])
    var crowded = TinyWorkload()
    let (one, two) = (crowded.file(name: 1), crowded.file(name: 2))
    for (second, object) in [(1.0, one), (2, two), (3, one)] {
      crowded.act(.open(object: object), at: second)
    }
    let evicted = try values(
      of: crowded.workload, composition(entities: 1), class: "entity")
    #expect(outcomes(evicted) == [.missCold: 3])
  }

  @Test("While events are known to be missing, reads are served as before, and judged by the truth")
  func suspectLibrary() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.heartbeat(0, at: 0.5)
    tiny.act(.read(query: 0), at: 1)
    _ = tiny.change(file, at: 2, name: 2)
    // The event is lost, and the heartbeat names it: 200 ms later it is asked for, 100 ms later it is here.
    tiny.heartbeat(1, at: 3)
    tiny.act(.read(query: 0), at: 3.1)
    tiny.act(.read(query: 0), at: 3.25)
    tiny.act(.read(query: 0), at: 3.35)
    #expect(
      outcomes(try values(of: tiny.workload, composition())) == [
        .missCold: 1, .hitStale: 2, .hitFresh: 1,
      ])
  }

  @Test("A view that is notified asks for rows that are not there, and for nothing else")
  func toldViews() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    tiny.deliver(tiny.change(file, at: 30, name: 2), at: 30.1)
    // The list has expired by then: a notified view reads, and does not ask.
    let composition = composition(timeToLive: .seconds(10))
    let values = try values(of: tiny.workload, composition)
    #expect(values[.fetches] == 1)
    #expect(values[.notificationsUseful] == 2)
    var updateOnly = composition
    updateOnly.eventAdmission = .updateOnly
    updateOnly.capacity = Capacity(entities: 1)
    updateOnly.freshness = .neverExpires
    var crowded = TinyWorkload()
    let first = crowded.file(name: 1)
    _ = crowded.file(name: 2)
    crowded.act(.observe(query: 0), at: 1)
    crowded.deliver(crowded.change(first, at: 30, name: 3), at: 30.1)
    let asked = try CacheSimulationTests.values(of: crowded.workload, updateOnly)
    #expect(asked[.fetches] == 2, "one of two rows has no space, and the list has changed")
  }
}
