import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

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

  @Test("Means are those of a client, counts those of all, peaks the highest")
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
