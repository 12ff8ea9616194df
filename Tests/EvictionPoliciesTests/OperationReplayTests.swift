import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

@Suite("Replay of operations", .timeLimit(.minutes(30)))
struct OperationReplayTests {
  private func replay(
    _ trace: OperationTrace, _ rules: ReplayRules
  ) throws -> OperationCounts {
    let lru = try #require(EvictionPolicies.named("lru"))
    return lru.replayOperations(trace, rules, RandomSource(seed: 3).substream("eviction"))
  }

  @Test("on gets alone it counts what the faster loop counts", arguments: EvictionPolicies.all)
  func agreesWithUnitSize(policy: EvictionPolicyDescriptor) {
    let zipf = ZipfTrace(requests: 6_000, keys: 500, seed: 8)
    for capacity in [1, 2, 7, 40, 200, 600] {
      let random = RandomSource(seed: 3).substream("eviction")
      let fast = policy.replayUnitSize(zipf.ids.span, zipf.distinct, capacity, random)
      let trace = OperationTrace(ids: zipf.ids, distinct: zipf.distinct)
      let counts = policy.replayOperations(
        trace, ReplayRules(capacity: .entities(capacity)), random)
      #expect(counts.reads == fast, "capacity \(capacity)")
      #expect(counts.gets == 6_000)
      #expect(counts.compulsoryMisses == zipf.distinct)
      // Bytes of weight 1 are entities.
      let bytes = policy.replayOperations(
        trace, ReplayRules(capacity: .bytes(capacity)), random)
      #expect(bytes == counts, "capacity \(capacity) in bytes")
    }
  }

  @Test("a copy expires at the end of its lifetime, which a hit does not renew and a set does")
  func expiry() throws {
    var trace = OperationTrace(
      ids: [0, 0, 0, 0, 0], distinct: 1, operations: [.get, .get, .get, .set, .get])
    trace.times = [0, 9, 10, 15, 24]
    let rules = ReplayRules(capacity: .entities(1), timeToLive: 10)
    var counts = try replay(trace, rules)
    #expect(counts.hits == 2)
    #expect(counts.expiredMisses == 1)
    trace.lifetimes = [20, 0, 0, 5, 0]
    counts = try replay(trace, rules)
    #expect(counts.hits == 2)
    #expect(counts.expiredMisses == 1)
    trace.times = []
    counts = try replay(
      trace, ReplayRules(capacity: .entities(1), timeToLive: 10, interval: 5))
    #expect(counts.expiredMisses == 1)
    #expect(counts.hits == 2)
  }

  @Test("a lifetime beyond the end of time is forever")
  func endlessLifetime() throws {
    var trace = OperationTrace(ids: [0, 0], distinct: 1)
    trace.times = [.max - 1, .max - 1]
    trace.lifetimes = [.max, .max]
    #expect(try replay(trace, ReplayRules(capacity: .entities(1))).hits == 1)
  }

  @Test("every policy keeps the sums, with any operations", arguments: EvictionPolicies.all)
  func sums(policy: EvictionPolicyDescriptor) {
    for seed in 0..<6 as Range<UInt64> {
      let trace = RandomOperations.trace(lines: 2_000, keys: 60, seed: seed)
      for capacity in [ReplayCapacity.entities(1), .entities(20), .bytes(30), .bytes(400)] {
        for updates in ReplayRules.Updates.allCases {
          let counts = policy.replayOperations(
            trace, ReplayRules(capacity: capacity, updates: updates, timeToLive: 500),
            RandomSource(seed: seed))
          #expect(counts.hits + counts.misses == counts.gets)
          #expect(counts.gets + counts.sets + counts.updates + counts.deletes == 2_000)
          #expect(counts.bytesMissed <= counts.bytesRequested)
          #expect(counts.staleHits <= counts.hits)
        }
      }
    }
  }

  @Test("LRU counts what a plain model counts", arguments: 0..<20 as Range<UInt64>)
  func againstModel(seed: UInt64) throws {
    let trace = RandomOperations.trace(lines: 1_500, keys: 40, seed: seed)
    for capacity in [ReplayCapacity.entities(7), .bytes(25), .bytes(200)] {
      for updates in ReplayRules.Updates.allCases {
        let rules = ReplayRules(capacity: capacity, updates: updates, timeToLive: 300)
        #expect(try replay(trace, rules) == LRUModel.replay(trace, rules), "\(rules)")
      }
    }
  }
}
