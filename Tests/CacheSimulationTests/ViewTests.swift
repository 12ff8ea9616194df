import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("Views that are told of changes")
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
