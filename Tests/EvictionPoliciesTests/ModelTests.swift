import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

/// The textbook algorithms over arrays, O(capacity) per request: slow, and short enough to check by
/// reading.
///
/// The young end is the end of the array.
private enum SlowModel {
  static func misses(of policy: String, _ trace: [UInt32], capacity: Int) -> Int? {
    switch policy {
    case "lru": recency(trace, capacity) { $0.removeFirst() }
    case "mru": recency(trace, capacity) { $0.removeLast() }
    case "fifo": fifo(trace, capacity)
    case "clock": clock(trace, capacity)
    case "sieve": sieve(trace, capacity)
    default: PaperModel.misses(of: policy, trace, capacity: capacity)
    }
  }

  private static func recency(
    _ trace: [UInt32], _ capacity: Int, evict: (inout [UInt32]) -> Void
  ) -> Int {
    var queue: [UInt32] = []
    var misses = 0
    for id in trace {
      if let place = queue.firstIndex(of: id) {
        queue.remove(at: place)
      } else {
        misses += 1
        if queue.count == capacity { evict(&queue) }
      }
      queue.append(id)
    }
    return misses
  }

  private static func fifo(_ trace: [UInt32], _ capacity: Int) -> Int {
    var queue: [UInt32] = []
    var misses = 0
    for id in trace where !queue.contains(id) {
      misses += 1
      if queue.count == capacity { queue.removeFirst() }
      queue.append(id)
    }
    return misses
  }

  private static func clock(_ trace: [UInt32], _ capacity: Int) -> Int {
    // The circular buffer of the textbook, rather than a queue with reinsertion.
    var frames: [(id: UInt32, isReferenced: Bool)] = []
    var hand = 0
    var misses = 0
    for id in trace {
      if let place = frames.firstIndex(where: { $0.id == id }) {
        frames[place].isReferenced = true
        continue
      }
      misses += 1
      guard frames.count == capacity else {
        frames.append((id, false))
        continue
      }
      while frames[hand].isReferenced {
        frames[hand].isReferenced = false
        hand = (hand + 1) % capacity
      }
      frames[hand] = (id, false)
      hand = (hand + 1) % capacity
    }
    return misses
  }

  private static func sieve(_ trace: [UInt32], _ capacity: Int) -> Int {
    var queue: [(id: UInt32, isVisited: Bool)] = []
    var hand = 0
    var misses = 0
    for id in trace {
      if let place = queue.firstIndex(where: { $0.id == id }) {
        queue[place].isVisited = true
        continue
      }
      misses += 1
      if queue.count == capacity {
        while queue[hand].isVisited {
          queue[hand].isVisited = false
          hand = (hand + 1) % queue.count
        }
        queue.remove(at: hand)
        // The hand is at the younger neighbour, or wraps; it never waits for the next arrival.
        if hand == queue.count { hand = 0 }
      }
      queue.append((id, false))
    }
    return misses
  }
}

@Suite("Against the slow model", .timeLimit(.minutes(30)))
struct ModelTests {
  @Test(
    "the replay loop misses as often, on random traces",
    arguments: ["lru", "mru", "fifo", "clock", "sieve"] + PaperModel.names, [1, 2, 3, 7, 20, 50])
  func misses(policy: String, capacity: Int) throws {
    let descriptor = try #require(EvictionPolicies.named(policy))
    for seed in 1...8 as ClosedRange<UInt64> {
      let exponent = Double(seed % 4) * 0.4
      let trace = ZipfTrace(requests: 600, keys: 60, exponent: exponent, seed: seed)
      let counts = descriptor.replayUnitSize(
        trace.ids.span, trace.distinct, capacity, RandomSource(seed: seed))
      #expect(
        counts.misses == SlowModel.misses(of: policy, trace.ids, capacity: capacity),
        "seed \(seed)")
      #expect(counts.requests == 600)
      #expect(counts.hits + counts.misses == counts.requests)
      #expect(counts.evictions == max(0, counts.misses - min(capacity, trace.distinct)))
      #expect(counts.rejections == 0)
    }
  }

  @Test("a cache that holds everything misses each key once", arguments: EvictionPolicies.all)
  func everythingFits(descriptor: EvictionPolicyDescriptor) {
    let trace = ZipfTrace(requests: 500, keys: 40, seed: 3)
    let counts = descriptor.replayUnitSize(
      trace.ids.span, trace.distinct, trace.distinct, RandomSource(seed: 1))
    #expect(counts == ReplayCounts(requests: 500, misses: trace.distinct, evictions: 0))
  }

  @Test("a trace without requests counts nothing", arguments: EvictionPolicies.all)
  func empty(descriptor: EvictionPolicyDescriptor) {
    let ids: [UInt32] = []
    let counts = descriptor.replayUnitSize(ids.span, 0, 3, RandomSource(seed: 1))
    #expect(counts == ReplayCounts())
  }
}
