import CacheModel
import CacheSimulation
import Metrics
import Testing
import Workloads

/// The composition of the tests: holds all, patches lists, replays gaps.
func composition(
  entities: Int? = nil, timeToLive: Duration? = nil, membership: Membership = .patch,
  queries: Int? = nil, retention: Retention = .none
) -> PolicyComposition {
  PolicyComposition(
    evictionOrder: "lru", capacity: Capacity(entities: entities), retention: retention,
    freshness: Freshness(timeToLive: timeToLive), membership: membership, maximumQueries: queries)
}

/// The values of a run by metric, `metric/statistic` for any other than `value`.
func values(
  of workload: Workload, _ composition: PolicyComposition, class: String = "total"
) throws -> [String: Double] {
  let rows = try Simulation.run(
    workload: workload, policyName: "test", composition: composition)
  var values: [String: Double] = [:]
  for row in rows where row.class == `class` {
    let suffix = row.statistic == "value" ? "" : "/" + row.statistic
    values[row.metric + suffix] = row.value?.asDouble
  }
  return values
}

/// The outcome classes that a run counted, zeros left out.
func outcomes(_ values: [String: Double]) -> [String: Int] {
  let names = [
    "hit_fresh", "hit_stale", "partial", "miss_cold", "miss_expired", "miss_evicted",
    "miss_invalidated", "coalesced", "bypass", "failed",
  ]
  return Dictionary(
    names.compactMap { name in values[name].flatMap { $0 > 0 ? (name, Int($0)) : nil } },
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
    #expect(outcomes(values) == ["miss_cold": 1, "hit_fresh": 1])
    #expect(values["hit_ratio"] == 0.5)
    #expect(values["fetches"] == 1)
    // Two files of 1,000 bytes and an envelope of 100; without a cache, twice that.
    #expect(values["bytes_fetched"] == 2_100)
    #expect(values["bytes_saved"] == 2_100)
    #expect(values["bytes_wasted_identical"] == 0)
    #expect(values["resident_entities/peak"] == 2)
  }

  @Test("A second read joins the fetch in flight")
  func coalesced() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 1.05)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == ["miss_cold": 1, "coalesced": 1])
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
    #expect(outcomes(values) == ["miss_cold": 1, "hit_stale": 1, "hit_fresh": 1])
    #expect(values["staleness_age/max"] == 1_000_000_000)
    #expect(values["bytes_pushed"] == 1_100)
    #expect(values["event_items_applied"] == 1)
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
    #expect(outcomes(values) == ["miss_cold": 1, "hit_stale": 1])
    #expect(values["staleness_age/max"] == 2_500_000_000)
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
    #expect(outcomes(values) == ["miss_cold": 1, "hit_stale": 1])
    #expect(values["staleness_age/max"] == 3_000_000_000)
  }

  @Test("A result older than its time to live is fetched again, and wasted where nothing changed")
  func expired() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 20)
    let values = try values(of: tiny.workload, composition(timeToLive: .seconds(10)))
    #expect(outcomes(values) == ["miss_cold": 1, "miss_expired": 1])
    #expect(values["bytes_wasted_identical"] == 1_000)
  }

  @Test("Without a server an expired result is served, and said to be expired; nothing is failed")
  func expiredOffline() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.read(query: 1), at: 21)
    tiny.partitions = [TinyWorkload.instant(15)..<TinyWorkload.instant(30)]
    let values = try values(of: tiny.workload, composition(timeToLive: .seconds(10)))
    #expect(outcomes(values) == ["miss_cold": 1, "hit_fresh": 1, "failed": 1])
    #expect(values["served_expired"] == 1)
  }

  @Test("A query whose member was evicted is partial")
  func partial() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    let values = try values(of: tiny.workload, composition(entities: 1))
    #expect(outcomes(values) == ["miss_cold": 1, "partial": 1])
    #expect((values["evictions"] ?? 0) >= 1)
  }

  @Test("A query beyond the limit on queries was evicted")
  func evicted() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 2)
    tiny.act(.read(query: 0), at: 3)
    let values = try values(of: tiny.workload, composition(queries: 1))
    #expect(outcomes(values) == ["miss_cold": 2, "miss_evicted": 1])
  }

  @Test("A list that may only be marked stale is invalidated by a new file")
  func invalidated() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let creation = tiny.create(at: 2, name: 3)
    tiny.deliver(creation, at: 3)
    tiny.act(.read(query: 0), at: 4)
    let values = try values(of: tiny.workload, composition(membership: .markStale))
    #expect(outcomes(values) == ["miss_cold": 1, "miss_invalidated": 1])
  }

  @Test("A short search goes past the cache every time")
  func bypass() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1 << 55)
    tiny.queries = [QuerySpec(kind: .search, subject: 1 << 55, prefixLength: 1, limit: 10)]
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == ["bypass": 2])
    #expect(values["bytes_fetched"] == 2_200)
  }

  @Test("A single entity that is opened counts in a class of its own")
  func opened() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    tiny.act(.open(object: file), at: 2)
    let entity = try values(of: tiny.workload, composition(), class: "entity")
    #expect(outcomes(entity) == ["miss_cold": 1, "hit_fresh": 1])
    let total = try values(of: tiny.workload, composition())
    #expect(total["reads"] == 0)
    #expect(total["hit_ratio"] == nil)
  }

  @Test("A view is told of a change once, and not of what it does not show")
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
    #expect(values["notifications"] == 2)
    #expect(values["notifications_useful"] == 2)
    #expect(values["notifications_spurious"] == 0)
    #expect(values["notifications_missed"] == 0)
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
    #expect(values["gaps_detected"] == 1)
    #expect(values["reconciles"] == 1)
    #expect(values["false_gaps"] == 0)
    // The heartbeat 5 s after the end, the reorder window of 0.2 s, a round trip of 0.1 s.
    #expect(values["time_to_consistency/max"] == 5_300_000_000)
    #expect(values["bytes_to_consistency"] == 1_200)
  }

  @Test("What an app recorded answers fetches, and leaves empty what needs the truth")
  func observedTruth() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 2)
    var workload = tiny.workload
    workload.truth = .observed
    let version = workload.catalog.revisions[1].version
    workload.observedResults[ObservedRead(client: 0, action: 0)] = ObservedResult(rows: [
      ObservedResult.Row(object: file, version: version, bytes: 1_000)
    ])
    let values = try values(of: workload, composition())
    #expect(values["reads"] == 2)
    #expect(values["miss_cold"] == 1)
    #expect(values["hit_ratio"] == 0.5)
    #expect(values["bytes_fetched"] == 1_100)
    for metric in ["hit_fresh", "hit_stale", "fresh_hit_ratio", "divergent_queries"] {
      #expect(values[metric] == nil, "\(metric)")
    }
  }

  @Test("A gap that closes itself after the reorder window was false")
  func falseGap() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let first = tiny.change(file, at: 2, name: 2)
    let second = tiny.change(file, at: 3, name: 3)
    tiny.deliver(second, at: 4)
    tiny.deliver(first, at: 6)
    let values = try values(of: tiny.workload, composition())
    #expect(values["gaps_detected"] == 1)
    #expect(values["false_gaps"] == 1)
    #expect(values["duplicates_ignored"] == 1)
  }

  @Test("Without capacity an empty list that is observed is fetched anew too")
  func emptyListWithoutCapacity() throws {
    var tiny = TinyWorkload()
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 5)
    let values = try values(of: tiny.workload, composition(entities: 0, queries: 0))
    #expect(values["reads"] == 2)
    #expect(values["hit_ratio"] == 0)
    #expect(values["fetches"] == 2)
  }
}
