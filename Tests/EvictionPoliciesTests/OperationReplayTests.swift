import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

@Suite("Replay of operations", .timeLimit(.minutes(30)))
struct OperationReplayTests {
  private func replay(
    _ trace: OperationTrace, _ rules: ReplayRules, policy: String = "lru"
  ) throws -> OperationCounts {
    let descriptor = try #require(EvictionPolicies.named(policy))
    return descriptor.replayOperations(
      trace, rules, RandomSource(seed: 3).substream("eviction"))
  }

  /// A trace from a picture: letters are keys; before one, `=` sets, `!` updates and `-` deletes.
  private func picture(_ text: String) -> OperationTrace {
    var ids: [UInt32] = []
    var operations: [TraceOperation] = []
    var known: [Character] = []
    var next = TraceOperation.get
    for letter in text {
      switch letter {
      case "=": next = .set
      case "!": next = .update
      case "-": next = .delete
      default:
        if !known.contains(letter) { known.append(letter) }
        ids.append(UInt32(known.firstIndex(of: letter) ?? 0))
        operations.append(next)
        next = .get
      }
    }
    return OperationTrace(ids: ids, distinct: known.count, operations: operations)
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

  @Test("an update makes the next get a coherence miss, once")
  func coherence() throws {
    let rules = ReplayRules(capacity: .entities(2))
    let counts = try replay(picture("aa!a!aaa!b"), rules)
    #expect(counts.gets == 4 && counts.updates == 3)
    #expect(counts.hits == 2)
    #expect(counts.compulsoryMisses == 1)
    #expect(counts.coherenceMisses == 1)
    #expect(counts.invalidations == 1)
  }

  @Test("an update that nobody tells is served, and counted")
  func unseen() throws {
    let rules = ReplayRules(capacity: .entities(2), updates: .unseen)
    let counts = try replay(picture("aa!aaa=aa"), rules)
    #expect(counts.hits == 4)
    #expect(counts.staleHits == 2)
    #expect(counts.coherenceMisses == 0)
    #expect(counts.misses == 1)
  }

  @Test("a stale copy keeps its space; evicted, its next get is a capacity miss")
  func staleIsEvicted() throws {
    let counts = try replay(picture("ab!aca"), ReplayRules(capacity: .entities(2)))
    #expect(counts.compulsoryMisses == 3)
    #expect(counts.capacityMisses == 1)
    #expect(counts.coherenceMisses == 0)
    #expect(counts.evictions == 2)
  }

  @Test("a set makes a copy, refreshes one, and counts as a use")
  func sets() throws {
    let counts = try replay(picture("=aa!a=aab=aca"), ReplayRules(capacity: .entities(2)))
    #expect(counts.sets == 3)
    // The last set kept a from being evicted by c.
    #expect(counts.hits == 3)
    #expect(counts.compulsoryMisses == 2)
    #expect(counts.misses == 2)
  }

  @Test("a deletion makes space, and the next get compulsory")
  func deletes() throws {
    let counts = try replay(picture("ab-aca-z-z"), ReplayRules(capacity: .entities(2)))
    #expect(counts.deletes == 3)
    #expect(counts.deletions == 1)
    #expect(counts.compulsoryMisses == 4)
    #expect(counts.evictions == 1)
  }

  @Test("a copy expires at the end of its lifetime, which a hit does not renew and a set does")
  func expiry() throws {
    var trace = picture("aaa=aa")
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
    var trace = picture("aa")
    trace.times = [.max - 1, .max - 1]
    trace.lifetimes = [.max, .max]
    #expect(try replay(trace, ReplayRules(capacity: .entities(1))).hits == 1)
  }

  @Test("bytes: several victims make space, what is too heavy is not kept, sets may grow a copy")
  func bytes() throws {
    var trace = picture("abcda=bb")
    trace.weights = [4, 4, 8, 11, 0, 9, 0]
    let counts = try replay(trace, ReplayRules(capacity: .bytes(10)))
    // c evicts both; d is rejected; a evicts c; b's set evicts a.
    #expect(counts.evictions == 4)
    #expect(counts.rejections == 1)
    #expect(counts.hits == 1)
    #expect(counts.compulsoryMisses == 4)
    #expect(counts.capacityMisses == 1)
    #expect(counts.bytesRequested == 4 + 4 + 8 + 11 + 4 + 9)
    #expect(counts.bytesMissed == 4 + 4 + 8 + 11 + 4)
  }

  @Test("every policy, whatever is thrown at it, keeps the sums", arguments: EvictionPolicies.all)
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
