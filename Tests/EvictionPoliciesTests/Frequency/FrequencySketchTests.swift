import CacheModel
import Testing
import TidemarkTestSupport

@testable import EvictionPolicies

@Suite("The frequency sketch")
struct FrequencySketchTests {
  /// Uses counted one by one and halved at once, up to the ceiling.
  private struct Exact {
    var counts: [UInt64: Int] = [:]
    var uses = 0

    mutating func count(_ key: UInt64, fitting entities: Int) {
      counts[key] = min((counts[key] ?? 0) + 1, FrequencySketch.ceiling)
      uses += 1
      guard uses >= 10 * max(entities, FrequencySketch.smallest) else { return }
      uses /= 2
      for key in counts.keys { counts[key] = (counts[key] ?? 0) / 2 }
    }
  }

  @Test(
    "never estimates less than was counted, and seldom more, however often it was halved",
    arguments: [16, 128, 200, 1_000])
  func estimates(entities: Int) {
    var sketch = FrequencySketch()
    sketch.reserve(entities: entities)
    var exact = Exact()
    let trace = ZipfTrace(
      requests: 60 * max(entities, 100), keys: 4 * max(entities, 100), exponent: 0.8, seed: 7)
    for id in trace.ids {
      sketch.count(UInt64(id))
      if sketch.isSampleOver { sketch.age(fitting: entities) }
      exact.count(UInt64(id), fitting: entities)
    }
    var excess = 0
    for id in 0..<UInt64(trace.distinct) {
      let estimate = sketch.estimate(id)
      let counted = exact.counts[id] ?? 0
      #expect(estimate >= counted, "\(id): \(estimate) for \(counted)")
      excess += estimate - counted
    }
    #expect(Double(excess) / Double(trace.distinct) < 0.6)
  }

  @Test("keeps what it counted when it grows")
  func growth() {
    var sketch = FrequencySketch()
    for key in 0..<100 as Range<UInt64> {
      for _ in 0...key % 10 { sketch.count(key) }
    }
    let before = (0..<100 as Range<UInt64>).map { sketch.estimate($0) }
    sketch.reserve(entities: 5_000)
    let after = (0..<100 as Range<UInt64>).map { sketch.estimate($0) }
    #expect(after == before)
    #expect(zip(0..<100, after).allSatisfy { $1 >= $0 % 10 + 1 })
  }

  @Test("counts to its ceiling and no further into the neighbours")
  func ceiling() {
    var sketch = FrequencySketch()
    sketch.reserve(entities: 64)
    for _ in 0..<100 { sketch.count(5) }
    #expect(sketch.estimate(5) == FrequencySketch.ceiling)
    let others = (6..<500 as Range<UInt64>).count { sketch.estimate($0) > 0 }
    #expect(others == 0)
  }

  @Test("forgets entities that were popular many halvings ago")
  func fading() {
    var sketch = FrequencySketch()
    for _ in 0..<15 { sketch.count(1) }
    var seen = [sketch.estimate(1)]
    for _ in 0..<6 {
      repeat { sketch.count(2) } while !sketch.isSampleOver
      sketch.age(fitting: 1)
      seen.append(sketch.estimate(1))
    }
    #expect(seen == seen.sorted(by: >))
    #expect(seen.last == 0)
  }
}
