import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

/// LRU behind an admission, over arrays; the young end is the end.
private enum SlowAdmission {
  static func tinyLFU(_ trace: [UInt32], _ capacity: Int) -> Int {
    var queue: [UInt32] = []
    var sketch = FrequencySketch()
    sketch.reserve(entities: capacity)
    var misses = 0
    for id in trace {
      sketch.count(UInt64(id))
      sketch.age(fitting: capacity)
      if let place = queue.firstIndex(of: id) {
        queue.append(queue.remove(at: place))
        continue
      }
      misses += 1
      if queue.count == capacity, let victim = queue.first {
        guard sketch.estimate(UInt64(id)) > sketch.estimate(UInt64(victim)) else { continue }
        queue.removeFirst()
      }
      queue.append(id)
    }
    return misses
  }

  static func probation(_ trace: [UInt32], _ capacity: Int) -> Int {
    var arrivals: [UInt32] = []
    var queue: [UInt32] = []
    var misses = 0
    for id in trace {
      if let place = arrivals.firstIndex(of: id) {
        queue.append(arrivals.remove(at: place))
        continue
      }
      if let place = queue.firstIndex(of: id) {
        queue.append(queue.remove(at: place))
        continue
      }
      misses += 1
      if arrivals.count + queue.count == capacity {
        let exceedsShare = arrivals.count + 1 > capacity / 10
        if queue.isEmpty || exceedsShare && !arrivals.isEmpty {
          arrivals.removeFirst()
        } else {
          queue.removeFirst()
        }
      }
      arrivals.append(id)
    }
    return misses
  }
}

@Suite("Admission, against the slow model", .timeLimit(.minutes(30)))
struct AdmissionModelTests {
  @Test(
    "lru behind an admission misses as often, on random traces",
    arguments: ["tinylfu", "probation"], [1, 2, 7, 20, 50, 130])
  func misses(admission: String, capacity: Int) throws {
    let descriptor = try #require(EvictionPolicies.named("lru+\(admission)"))
    for seed in 1...6 as ClosedRange<UInt64> {
      let trace = ZipfTrace(
        requests: 400 + 15 * capacity, keys: 3 * capacity + 20,
        exponent: Double(seed % 4) * 0.4, seed: seed)
      let counts = descriptor.replayUnitSize(
        trace.ids.span, trace.distinct, capacity, RandomSource(seed: seed))
      let expected =
        admission == "tinylfu"
        ? SlowAdmission.tinyLFU(trace.ids, capacity) : SlowAdmission.probation(trace.ids, capacity)
      #expect(counts.misses == expected, "seed \(seed)")
      let residents = min(capacity, trace.distinct)
      #expect(counts.misses == residents + counts.evictions + counts.rejections)
      #expect(counts.rejections > 0 || admission == "probation")
    }
  }
}
