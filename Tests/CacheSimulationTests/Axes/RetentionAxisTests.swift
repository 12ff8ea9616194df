import CacheModel
import ResultModel
import Testing
import Workloads

@Suite("What is held back from eviction, in tiny workloads")
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
    "Each holds what its name says",
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

  @Test("What the user has marked stays under tags, and under nothing else")
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

  @Test("A release buffer holds as many queries as it may, for as long", arguments: buffers)
  func releaseBuffer(_ buffer: ReleaseBuffer?, isHeld: Bool) throws {
    var composition = composition(retention: .referenceCountObserved)
    composition.releaseBuffer = buffer
    let values = try values(of: strolls(), composition)
    #expect(
      outcomes(values)
        == (isHeld ? [.missCold: 2, .hitFresh: 1] : [.missCold: 2, .missEvicted: 1]))
  }

  @Test("What a buffer would let go of after the run is not waited for")
  func runEnds() throws {
    var composition = composition(retention: .referenceCountObserved)
    composition.releaseBuffer = ReleaseBuffer(queries: nil, age: .seconds(86_400))
    let long = try values(of: strolls(), composition)
    composition.releaseBuffer = ReleaseBuffer(queries: nil, age: nil)
    let endless = try values(of: strolls(), composition)
    #expect(long[.residentEntities, .mean] == endless[.residentEntities, .mean])
  }
}
