import CacheModel
import CacheSimulation
import EvictionPolicies
import ResultModel
import Testing
import Workloads

@Suite("Retention in tiny workloads")
struct RetentionAxisTests {
  /// A directory of two files is looked at, left, and read again, each time after a storm of files
  /// that are as many as the cache holds.
  private func workload(isTagged: Bool = false) -> Workload {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.act(.observe(query: 0), at: 1)
    if isTagged { tiny.act(.tag(query: 0), at: 1.5) }
    tiny.storm(of: 5, at: 3)
    tiny.act(.read(query: 0), at: 4)
    tiny.act(.unobserve(query: 0), at: 5)
    tiny.storm(of: 5, at: 6)
    tiny.act(.read(query: 0), at: 7)
    return tiny.workload
  }

  @Test(
    "Each retains what its name says",
    arguments: [
      (Retention.none, [.missCold: 1, .partial: 2]),
      (.observed, [.missCold: 1, .hitFresh: 1, .partial: 1]),
      (.cached, [.missCold: 1, .hitFresh: 2]),
      (.referenceCount, [.missCold: 1, .hitFresh: 2]),
      (.referenceCountObserved, [.missCold: 1, .hitFresh: 1, .missEvicted: 1]),
      (.tags, [.missCold: 1, .partial: 2]),
    ] as [(Retention, [Metric: Int])])
  func retention(_ retention: Retention, _ expected: [Metric: Int]) throws {
    let values = try values(of: workload(), composition(entities: 5, retention: retention))
    #expect(outcomes(values) == expected)
  }

  @Test("Entities marked by the user stay under tags, and under no other retention")
  func tags() throws {
    for retention in [Retention.tags, .none] {
      let values = try values(
        of: workload(isTagged: true), composition(entities: 5, retention: retention))
      let stays = retention == .tags
      #expect(
        outcomes(values)
          == (stays ? [.missCold: 1, .hitFresh: 2] : [.missCold: 1, .partial: 2]))
    }
  }

  /// Three directories' worth of views, one after the other, then the first again.
  private func strolls() -> Workload {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.unobserve(query: 0), at: 5)
    tiny.act(.observe(query: 1), at: 6)
    tiny.act(.unobserve(query: 1), at: 7)
    tiny.act(.observe(query: 0), at: 10)
    return tiny.workload
  }

  static let buffers: [(ReleaseBuffer?, isHeld: Bool)] = [
    (nil, false),
    (ReleaseBuffer(queries: 0, age: nil), false),
    (ReleaseBuffer(queries: nil, age: .zero), false),
    // The second view pushes the first out of a buffer of one.
    (ReleaseBuffer(queries: 1, age: nil), false),
    (ReleaseBuffer(queries: 2, age: nil), true),
    // Left at 5 s, back at 10 s.
    (ReleaseBuffer(queries: nil, age: .seconds(4)), false),
    (ReleaseBuffer(queries: nil, age: .seconds(6)), true),
    (ReleaseBuffer(queries: 2, age: .seconds(4)), false),
    (ReleaseBuffer(queries: nil, age: nil), true),
  ]

  @Test("A release buffer keeps its number of queries for its time", arguments: buffers)
  func releaseBuffer(_ buffer: ReleaseBuffer?, isHeld: Bool) throws {
    var composition = composition(retention: .referenceCountObserved)
    composition.releaseBuffer = buffer
    let values = try values(of: strolls(), composition)
    #expect(
      outcomes(values)
        == (isHeld ? [.missCold: 2, .hitFresh: 1] : [.missCold: 2, .missEvicted: 1]))
  }

  @Test("Queries that a buffer would release after the run are not waited for")
  func runEnds() throws {
    var composition = composition(retention: .referenceCountObserved)
    composition.releaseBuffer = ReleaseBuffer(queries: nil, age: .seconds(86_400))
    let long = try values(of: strolls(), composition)
    composition.releaseBuffer = ReleaseBuffer(queries: nil, age: nil)
    let endless = try values(of: strolls(), composition)
    #expect(long[.residentEntities, .mean] == endless[.residentEntities, .mean])
  }
}

@Suite("Every eviction order and admission, in a small workload", .timeLimit(.minutes(30)))
struct EvictionAxisTests {
  @Test(
    "B57 keeps every promise, within both limits, with and without retention",
    arguments: EvictionPolicies.forCaches.map(\.name))
  func order(name: String) throws {
    let simulation = try Simulation(of: RandomWorkloadTests.workload(seed: 2))
    let place = try #require(EvictionPolicies.forCaches.firstIndex { $0.name == name })
    // Each order meets two admissions, so that each admission meets two orders in three.
    for (index, admission) in AdmissionPolicies.all.enumerated() where index != place % 3 {
      let composition = CachePolicy(
        evictionOrder: name, admission: admission.name,
        capacity: Capacity(entities: 60, bytes: 40_000, highWatermark: 0.9, lowWatermark: 0.9),
        retention: index == 1 ? .observed : .none,
        freshness: Freshness(timeToLive: .seconds(20)), maximumQueries: 20)
      let rows = try simulation.run(policy: name, composition: composition).rows
      func value(_ metric: Metric) -> Double? {
        rows.first { $0.class == "total" && $0.metric == metric }?.value?.asDouble
      }
      let label = "\(name), \(admission.name)"
      #expect(value(.notificationsMissed) == 0, "\(label)")
      #expect(value(.divergentQueries) == 0, "\(label)")
      #expect(value(.divergentEntities) == 0, "\(label)")
      #expect((value(.reads) ?? 0) > 10, "\(label)")
      let isBounded = EvictionPolicies.named(name)?.isBounded == true
      #expect(((value(.evictions) ?? 0) > 0) == isBounded, "\(label)")
    }
  }
}

@Suite("Pushed entities that are not cached, in tiny workloads")
struct AdmissionAxisTests {
  @Test(
    "A storm of unlisted files evicts what was read only if each is admitted",
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
    "An admission in front of the order keeps a storm out, and at first requested entities too",
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

  @Test("Every admission admits what a cached list gains", arguments: EventAdmission.allCases)
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
