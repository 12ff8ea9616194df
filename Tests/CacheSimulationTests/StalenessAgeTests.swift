import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("How old what is stale is")
struct StalenessAgeTests {
  @Test("An entity is stale since the state after it was committed, not since its own was")
  func entity() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    let first = tiny.change(file, at: 10, name: 2)
    tiny.act(.open(object: file), at: 13)
    tiny.deliver(first, at: 14)
    let second = tiny.change(file, at: 20, name: 3)
    _ = tiny.change(file, at: 24, name: 4)
    tiny.act(.open(object: file), at: 25)
    tiny.deliver(second, at: 30)
    let entity = try values(of: tiny.workload, composition(), class: "entity")
    #expect(outcomes(entity) == [.missCold: 1, .hitStale: 2])
    // From 10 s to 13 s, and from 20 s, where the state that is served ended, to 25 s.
    #expect(entity[.stalenessAge, .p50] == 3_000_000_000)
    #expect(entity[.stalenessAge, .max] == 5_000_000_000)
  }
}
