import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

/// The composition of the tests: holds all, patches lists, replays gaps.
func composition(
  entities: Int? = nil, timeToLive: Duration? = nil, membership: Membership = .patch,
  queries: Int? = nil, retention: Retention = .none
) -> CachePolicy {
  CachePolicy(
    evictionOrder: "lru", capacity: Capacity(entities: entities), retention: retention,
    freshness: Freshness(timeToLive: timeToLive), membership: membership, maximumQueries: queries)
}

/// The values of a run by metric, `metric/statistic` for any other than `value`.
func values(
  of workload: Workload, _ composition: CachePolicy, class: ResultClass = .total
) throws -> RunValues {
  let rows = try Simulation.run(
    workload: workload, policyName: "test", composition: composition)
  return RunValues(rows: rows.filter { $0.class == `class` })
}

/// The values of one class, by metric and statistic.
struct RunValues {
  var rows: [ResultRow]

  subscript(metric: Metric, statistic: Statistic = .value) -> Double? {
    rows.first { $0.metric == metric && $0.statistic == statistic }?.value?.asDouble
  }

  /// The metrics with a value.
  var known: [Metric: Double] {
    Dictionary(
      rows.compactMap { row in row.value.map { (row.metric, $0.asDouble) } },
      uniquingKeysWith: { first, _ in first })
  }
}

/// The outcome classes that a run counted, zeros left out.
func outcomes(_ values: RunValues) -> [Metric: Int] {
  let metrics: [Metric] = [
    .hitFresh, .hitStale, .partial, .missCold, .missExpired, .missEvicted,
    .missInvalidated, .coalesced, .bypass, .failed,
  ]
  return Dictionary(
    metrics.compactMap { metric in
      values[metric].flatMap { $0 > 0 ? (metric, Int($0)) : nil }
    },
    uniquingKeysWith: { first, _ in first })
}

@Suite("Outcomes of reads in tiny workloads")
struct OutcomeTests {
  @Test("First a miss, then a hit; both fetches' bytes are known")
  func coldThenHit() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 1, .hitFresh: 1])
    #expect(values[.hitRatio] == 0.5)
    #expect(values[.fetches] == 1)
    // Two files of 1,000 bytes and an envelope of 100; without a cache, twice that.
    #expect(values[.bytesFetched] == 2_100)
    #expect(values[.bytesSaved] == 2_100)
    #expect(values[.bytesWastedIdentical] == 0)
    #expect(values[.residentEntities, .peak] == 2)
  }

  @Test("A hit before the event arrives is stale since the commit")
  func stale() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let change = tiny.change(file, at: 2, name: 1, modified: 5)
    tiny.act(.read(query: 0), at: 3)
    tiny.deliver(change, at: 4)
    tiny.act(.read(query: 0), at: 5)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 1, .hitStale: 1, .hitFresh: 1])
    #expect(values[.stalenessAge, .max] == 1_000_000_000)
    #expect(values[.bytesPushed] == 1_100)
    #expect(values[.eventItemsApplied] == 1)
  }

  @Test("A row that is missing dates from the commit that made it")
  func staleForLackOfARow() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let creation = tiny.create(at: 2, name: 3)
    tiny.act(.read(query: 0), at: 4.5)
    tiny.deliver(creation, at: 5)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 1, .hitStale: 1])
    #expect(values[.stalenessAge, .max] == 2_500_000_000)
  }

  @Test("A window that lost a row dates from the deletion, not from the row that moved up")
  func staleWindow() throws {
    var tiny = TinyWorkload()
    tiny.queries = [QuerySpec(kind: .directory, subject: 0, limit: 1)]
    let first = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.act(.read(query: 0), at: 1)
    let deletion = tiny.delete(first, at: 2)
    tiny.act(.read(query: 0), at: 5)
    tiny.deliver(deletion, at: 6)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 1, .hitStale: 1])
    #expect(values[.stalenessAge, .max] == 3_000_000_000)
  }

  @Test("An opened single entity has a class of its own")
  func opened() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    tiny.act(.open(object: file), at: 2)
    let entity = try values(of: tiny.workload, composition(), class: "entity")
    #expect(outcomes(entity) == [.missCold: 1, .hitFresh: 1])
    let total = try values(of: tiny.workload, composition())
    #expect(total[.reads] == 0)
    #expect(total[.hitRatio] == nil)
  }

  @Test("A view is notified of a change once, and not of what it does not show")
  func notified() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    let change = tiny.change(file, at: 2, name: 9)
    let same = tiny.change(file, at: 3, name: 9)
    tiny.deliver(change, at: 4)
    tiny.deliver(same, at: 5)
    let values = try values(of: tiny.workload, composition())
    // One for the first result, one for the change.
    #expect(values[.notifications] == 2)
    #expect(values[.notificationsUseful] == 2)
    #expect(values[.notificationsSpurious] == 0)
    #expect(values[.notificationsMissed] == 0)
  }

  @Test("After a partition the missed event is replayed; how long that took is known")
  func recovery() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    _ = tiny.change(file, at: 12, name: 2)
    tiny.partitions = [TinyWorkload.instant(10)..<TinyWorkload.instant(20)]
    tiny.heartbeat(0, at: 5)
    tiny.heartbeat(1, at: 25)
    let values = try values(of: tiny.workload, composition())
    #expect(values[.gapsDetected] == 1)
    #expect(values[.reconciles] == 1)
    #expect(values[.falseGaps] == 0)
    // The heartbeat 5 s after the end, the reorder window of 0.2 s, a round trip of 0.1 s.
    #expect(values[.timeToConsistency, .max] == 5_300_000_000)
    #expect(values[.bytesToConsistency] == 1_200)
  }

  @Test("An app's recorded answers serve fetches; figures that need the ground truth stay empty")
  func observedTruth() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    var workload = tiny.workload
    workload.truth = .observed
    workload.observedResults[ObservedRead(client: 0, action: 0)] = [file]
    let values = try values(of: workload, composition())
    #expect(values[.reads] == 2)
    #expect(values[.missCold] == 1)
    #expect(values[.hitRatio] == 0.5)
    #expect(values[.bytesFetched] == 1_100)
    // No answer is known to be the server's: of no hit is it known that it was fresh, or stale.
    #expect(values[.hitUnknown] == 1)
    #expect(values[.hitFresh] == 0 && values[.hitStale] == 0)
    for metric in [
      Metric.freshHitRatio, .staleReadShare, .divergentQueries, .divergentEntities,
    ] {
      #expect(values[metric] == nil, "\(metric)")
    }
  }

  @Test("Without capacity an observed empty list is fetched again too")
  func emptyListWithoutCapacity() throws {
    var tiny = TinyWorkload()
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 5)
    let values = try values(of: tiny.workload, composition(entities: 0, queries: 0))
    #expect(values[.reads] == 2)
    #expect(values[.hitRatio] == 0)
    #expect(values[.fetches] == 2)
  }
}
