import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("Views that are notified of changes")
struct ViewTests {
  /// Two views of the same files, in a cache that cannot hold those of one.
  private static func crowded() -> TinyWorkload {
    var tiny = TinyWorkload()
    for name in 1...6 { _ = tiny.file(name: UInt64(name)) }
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 6))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.observe(query: 1), at: 2)
    return tiny
  }

  @Test(
    "B23 Views that take each other's space do not ask forever",
    arguments: ["lru", "mru", "lirs"], ["always", "probation"])
  func takeEachOthersSpace(order: String, admission: String) throws {
    var composition = composition(entities: 4)
    composition.evictionOrder = order
    composition.admission = admission
    let values = try values(of: Self.crowded().workload, composition)
    #expect(values[.fetches] == 2)
    #expect(values[.notificationsMissed] == 0)
  }

  @Test("A view without space for its rows still asks for one that has changed")
  func asksForChanges() throws {
    var tiny = Self.crowded()
    tiny.deliver(tiny.change(1, at: 10, name: 9), at: 10.1)
    let values = try values(of: tiny.workload, composition(entities: 4))
    #expect((values[.fetches] ?? 0) > 2)
    #expect(values[.notificationsMissed] == 0)
    #expect(values[.divergentQueries] == 0)
  }
}

@Suite("Reads without a server")
struct OfflineTests {
  private static func tiny() -> (tiny: TinyWorkload, file: UInt32) {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.partitions = [TinyWorkload.instant(15)..<TinyWorkload.instant(30)]
    return (tiny, file)
  }

  @Test("Save nothing, since without a cache they would have fetched nothing")
  func savesNothing() throws {
    var (tiny, file) = Self.tiny()
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.open(object: file), at: 21)
    #expect(try values(of: tiny.workload, composition())[.bytesSaved] == 0)
    // With a server each is an answer of 1,100 bytes that was not fetched.
    tiny.act(.read(query: 0), at: 40)
    tiny.act(.open(object: file), at: 41)
    #expect(try values(of: tiny.workload, composition())[.bytesSaved] == 2_200)
  }

  @Test("An expired entity is served, and said to be expired")
  func expiredEntity() throws {
    var (tiny, file) = Self.tiny()
    tiny.act(.open(object: file), at: 1)
    tiny.act(.open(object: file), at: 5)
    tiny.act(.open(object: file), at: 20)
    let entity = try values(
      of: tiny.workload, composition(timeToLive: .seconds(10)), class: "entity")
    #expect(outcomes(entity) == [.missCold: 1, .hitFresh: 2])
    #expect(entity[.servedExpired] == 1)
  }
}

@Suite("Several clients in one run")
struct SeveralClientsTests {
  /// One that holds two files of 1,000 bytes from 10.1 s on, and one that holds a single one from
  /// 50.1 s on: a request takes 100 ms, the run 100 s.
  private static func workload() -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.act(.read(query: 0), at: 10)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.read(query: 0), at: 30)
    var workload = tiny.workload
    var other = workload.clients[0]
    other.name = "other"
    other.actions = [
      SessionAction(at: TinyWorkload.instant(50), kind: .open(object: file)),
      SessionAction(at: TinyWorkload.instant(60), kind: .open(object: file)),
    ]
    workload.clients.append(other)
    return workload
  }

  @Test("Means are per client, counts are of all, peaks are the highest")
  func means() throws {
    let values = try values(of: Self.workload(), composition())
    let entities = (2 * 89.9 + 1 * 49.9) / 100 / 2
    #expect(abs((values[.residentEntities, .mean] ?? 0) - entities) < 1e-9)
    #expect(abs((values[.residentWeight, .mean] ?? 0) - 1_000 * entities) < 1e-6)
    #expect(values[.residentEntities, .peak] == 2)
    #expect(values[.residentWeight, .peak] == 2_000)
    #expect(values[.fetches] == 2)
  }

  @Test("The worst client is the one with the lowest share of fresh reads")
  func worst() throws {
    // One reads fresh two times of three, the other once of twice.
    let worst = try values(of: Self.workload(), composition(), class: "worst-client")
    #expect(worst[.freshHitRatio] == 0.5)
    let all = try values(of: Self.workload(), composition(), class: "all")
    #expect(all[.freshHitRatio] == 0.6)
  }
}
