import CacheModel
import ResultModel
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
    var composition = composition(entities: 20)
    composition.eventAdmission = admission
    let seen = try afterStorm(files: 10, reads: 1, composition)
    #expect(
      seen.queries
        == (isHotSetHeld ? [.missCold: 1, .hitFresh: 1] : [.missCold: 1, .partial: 1]))
    #expect(seen.opened == (isLatestHeld ? [.hitFresh: 1] : [.missCold: 1]))
  }

  @Test(
    "An admission in front of the order keeps a storm out, and what is asked for, too, at first",
    arguments: [("always", false, true), ("tinylfu", true, false), ("probation", true, true)])
  func admission(_ name: String, isHotSetHeld: Bool, isLatestHeld: Bool) throws {
    var composition = composition(entities: 20)
    composition.admission = name
    let seen = try afterStorm(files: 18, reads: 2, composition)
    #expect(
      seen.queries
        == (isHotSetHeld
          ? [.missCold: 1, .hitFresh: 2] : [.missCold: 1, .hitFresh: 1, .partial: 1]))
    #expect(seen.opened == (isLatestHeld ? [.hitFresh: 1] : [.missCold: 1]))
    #expect(name == "tinylfu" ? seen.rejections ?? 0 >= 38 : seen.rejections == nil)
  }

  /// Reads a directory, has forty unlisted files pushed, opens the last of them, and reads again.
  private func afterStorm(
    files: Int, reads: Int, _ composition: CachePolicy
  ) throws -> (queries: [Metric: Int], opened: [Metric: Int], rejections: Double?) {
    var tiny = TinyWorkload()
    for name in 1...files { _ = tiny.file(name: UInt64(name)) }
    for second in 1...reads { tiny.act(.read(query: 0), at: Double(second)) }
    tiny.storm(of: 40, at: 3)
    tiny.act(.open(object: UInt32(tiny.objects.count - 1)), at: 4)
    tiny.act(.read(query: 0), at: 5)
    let total = try values(of: tiny.workload, composition)
    return (
      outcomes(total), outcomes(try values(of: tiny.workload, composition, class: "entity")),
      total[.admissionRejections]
    )
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
      outcomes(try values(of: tiny.workload, composition)) == [.missCold: 1, .hitFresh: 1])
  }
}
