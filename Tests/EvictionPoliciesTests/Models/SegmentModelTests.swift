import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

/// Policies with parts, over arrays, in O(capacity) per request; the young end is the end.
private enum SlowSegments {
  static func slru(_ trace: [UInt32], _ capacity: Int) -> Int {
    var main = SlowSLRU(protectedLimit: capacity * 4 / 5)
    var misses = 0
    for id in trace where !main.hit(id) {
      misses += 1
      if main.count == capacity { main.evict() }
      main.probation.append(id)
    }
    return misses
  }

  /// As in the paper: the arrival enters first, and the cache then lacks space for one.
  static func wTinyLFU(_ trace: [UInt32], _ capacity: Int) -> Int {
    let mainLimit = capacity * 99 / 100
    var window: [UInt32] = []
    var main = SlowSLRU(protectedLimit: mainLimit * 4 / 5)
    var sketch = FrequencySketch()
    sketch.reserve(entities: capacity)
    var misses = 0
    for id in trace {
      sketch.count(id)
      sketch.age(fitting: capacity)
      if let place = window.firstIndex(of: id) {
        window.append(window.remove(at: place))
        continue
      }
      if main.hit(id) { continue }
      misses += 1
      window.append(id)
      guard window.count > capacity - mainLimit else { continue }
      let candidate = window.removeFirst()
      if main.count < mainLimit {
        main.probation.append(candidate)
      } else if let victim = main.victim,
        sketch.estimate(UInt64(candidate)) > sketch.estimate(UInt64(victim))
      {
        main.evict()
        main.probation.append(candidate)
      }
    }
    return misses
  }
}

private struct SlowSLRU {
  let protectedLimit: Int
  var probation: [UInt32] = []
  var protected: [UInt32] = []

  var count: Int { probation.count + protected.count }
  var victim: UInt32? { probation.first ?? protected.first }

  mutating func hit(_ id: UInt32) -> Bool {
    if let place = probation.firstIndex(of: id) {
      probation.remove(at: place)
    } else if let place = protected.firstIndex(of: id) {
      protected.remove(at: place)
    } else {
      return false
    }
    protected.append(id)
    if protected.count > protectedLimit { probation.append(protected.removeFirst()) }
    return true
  }

  mutating func evict() {
    if probation.isEmpty { protected.removeFirst() } else { probation.removeFirst() }
  }
}

extension FrequencySketch {
  fileprivate mutating func count(_ id: UInt32) { count(UInt64(id)) }
}

@Suite("Policies with parts, against the slow model", .timeLimit(.minutes(30)))
struct SegmentModelTests {
  static let models: [(String, @Sendable ([UInt32], Int) -> Int)] = [
    ("slru", { SlowSegments.slru($0, $1) }),
    ("w-tinylfu", { SlowSegments.wTinyLFU($0, $1) }),
  ]

  @Test(
    "the replay loop misses as often, on random traces",
    arguments: ["slru", "w-tinylfu"], [1, 2, 3, 7, 20, 50, 120, 250])
  func misses(policy: String, capacity: Int) throws {
    let descriptor = try #require(EvictionPolicies.named(policy))
    let model = try #require(Self.models.first { $0.0 == policy }).1
    for seed in 1...8 as ClosedRange<UInt64> {
      let exponent = Double(seed % 4) * 0.4
      let trace = ZipfTrace(
        requests: 400 + 12 * capacity, keys: 3 * capacity + 20, exponent: exponent, seed: seed)
      let counts = descriptor.replayUnitSize(
        trace.ids.span, trace.distinct, capacity, RandomSource(seed: seed))
      #expect(counts.misses == model(trace.ids, capacity), "seed \(seed)")
    }
  }
}
