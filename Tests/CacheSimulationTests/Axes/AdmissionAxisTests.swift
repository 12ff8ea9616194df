import CacheModel
import Testing
import Workloads

@Suite("What a pushed entity does that is not cached, in tiny workloads")
struct AdmissionAxisTests {
  @Test(
    "A storm of unlisted files throws out what was read only where each is kept",
    arguments: [
      (EventAdmission.writeAllocate, isHotSetHeld: false, isLatestHeld: true),
      (.updateOnly, true, false),
      (.probation, true, true),
    ])
  func storm(_ admission: EventAdmission, isHotSetHeld: Bool, isLatestHeld: Bool) throws {
    var tiny = TinyWorkload()
    for name in 1...10 { _ = tiny.file(name: UInt64(name)) }
    tiny.act(.read(query: 0), at: 1)
    tiny.storm(of: 40, at: 2)
    tiny.act(.open(object: UInt32(tiny.objects.count - 1)), at: 3)
    tiny.act(.read(query: 0), at: 4)
    var composition = composition(entities: 20)
    composition.eventAdmission = admission
    let queries = outcomes(try values(of: tiny.workload, composition))
    #expect(
      queries
        == (isHotSetHeld ? ["miss_cold": 1, "hit_fresh": 1] : ["miss_cold": 1, "partial": 1]))
    let opened = outcomes(try values(of: tiny.workload, composition, class: "entity"))
    #expect(opened == (isLatestHeld ? ["hit_fresh": 1] : ["miss_cold": 1]))
  }

  @Test(
    "An admission in front of the order keeps a storm out, and what is asked for, too, at first",
    arguments: [("always", false, true), ("tinylfu", true, false), ("probation", true, true)])
  func admission(_ name: String, isHotSetHeld: Bool, isLatestHeld: Bool) throws {
    var tiny = TinyWorkload()
    for name in 1...18 { _ = tiny.file(name: UInt64(name)) }
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    tiny.storm(of: 40, at: 3)
    tiny.act(.open(object: UInt32(tiny.objects.count - 1)), at: 4)
    tiny.act(.read(query: 0), at: 5)
    var composition = composition(entities: 20)
    composition.admission = name
    let queries = outcomes(try values(of: tiny.workload, composition))
    #expect(
      queries
        == [
          "miss_cold": 1, "hit_fresh": isHotSetHeld ? 2 : 1, "partial": isHotSetHeld ? 0 : 1,
        ].filter { $0.value > 0 })
    let opened = outcomes(try values(of: tiny.workload, composition, class: "entity"))
    #expect(opened == (isLatestHeld ? ["hit_fresh": 1] : ["miss_cold": 1]))
    let rejections = try values(of: tiny.workload, composition)["admission_rejections"]
    #expect(name == "tinylfu" ? rejections ?? 0 >= 38 : rejections == nil)
  }

  @Test("Every admission takes what a cached list gains", arguments: EventAdmission.allCases)
  func listed(_ admission: EventAdmission) throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let creation = tiny.create(at: 2, name: 3)
    tiny.deliver(creation, at: 3)
    tiny.act(.read(query: 0), at: 4)
    var composition = composition(entities: 20)
    composition.eventAdmission = admission
    #expect(
      outcomes(try values(of: tiny.workload, composition)) == ["miss_cold": 1, "hit_fresh": 1])
  }
}
