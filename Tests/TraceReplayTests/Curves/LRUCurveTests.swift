import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

@testable import TraceReplay

@Suite("LRU curve")
struct LRUCurveTests {
  private func check(_ trace: InternedTrace, updates: ReplayRules.Updates = .invalidate) throws {
    let lru = try #require(EvictionPolicies.named("lru"))
    let curve = LRUCurve(of: trace, updates: updates)
    let capacities = Array(1...trace.distinct + 2)
    let misses = curve.misses(capacities: capacities)
    for (capacity, misses) in zip(capacities, misses) {
      let counts = lru.replayOperations(
        trace.lines, ReplayRules(capacity: .entities(capacity), updates: updates),
        RandomSource(seed: 1))
      #expect(counts.misses == misses, "\(trace.name), capacity \(capacity)")
      #expect(counts.gets == curve.requests)
      #expect(curve.misses(capacity: capacity) == misses)
    }
  }

  @Test("at every capacity it counts the same as a replay", arguments: [0.0, 0.6, 1, 1.4])
  func zipf(exponent: Double) throws {
    let zipf = ZipfTrace(requests: 12_000, keys: 120, exponent: exponent, seed: 4)
    try check(InternedTrace(name: "zipf \(exponent)", ids: zipf.ids, distinct: zipf.distinct))
  }

  @Test("loops, scans and phases")
  func shapes() throws {
    let loop = (0..<2_000 as Range<UInt32>).map { $0 % 37 }
    try check(InternedTrace(name: "loop", ids: loop, distinct: 37))
    try check(InternedTrace(name: "scan", ids: Array(0..<50), distinct: 50))
    try check(InternedTrace(name: "one", ids: Array(repeating: 0, count: 9_000), distinct: 1))
    let phases = (0..<6_000 as Range<UInt32>).map { $0 / 1_000 * 10 + $0 * 7 % 13 }
    let distinct = Int(phases.max() ?? 0) + 1
    try check(InternedTrace(name: "phases", ids: phases, distinct: distinct))
  }

  @Test(
    "sets, updates and deletes are followed exactly", arguments: 0..<12 as Range<UInt64>)
  func operations(seed: UInt64) throws {
    var random = RandomSource(seed: seed).substream("operations")
    var ids: [UInt32] = []
    var operations: [TraceOperation] = []
    for _ in 0..<5_000 {
      ids.append(UInt32(min(random.below(40), random.below(40))))
      operations.append(
        random.chance(0.6)
          ? .get : TraceOperation.allCases[random.below(TraceOperation.allCases.count)])
    }
    let trace = InternedTrace(name: "operations", ids: ids, distinct: 40, operations: operations)
    for updates in ReplayRules.Updates.allCases { try check(trace, updates: updates) }
  }

  @Test("depths are right across words, blocks, regions, fields and clearings of the line")
  func levels() {
    // A plain stack, and one whose line is cleared now and then; longer lines than the first level's.
    var random = RandomSource(seed: 6).substream("levels")
    for distinct in [3, 1_500, 40_000] {
      var stack = StackDistances(distinct: distinct, slack: 2)
      var uses = [Int](repeating: -1, count: distinct)
      let marks = Fenwick(count: 90_000)
      for time in 0..<90_000 {
        let id = min(random.below(distinct), random.below(distinct))
        let depth = stack.use(id)
        if uses[id] < 0 {
          #expect(depth == nil)
        } else {
          let expected = marks.sum(from: uses[id])
          if depth != expected {
            Issue.record(
              "\(distinct) keys, use \(time): \(String(describing: depth)), not \(expected)")
            return
          }
          marks.add(-1, at: uses[id])
        }
        marks.add(1, at: time)
        uses[id] = time
      }
    }
  }

  @Test("ranks agree with a plain count on a line of two fields")
  func ranks() {
    var random = RandomSource(seed: 7).substream("ranks")
    var marks = MarkRanks(capacity: 2_400_000)
    var standing: [Int] = []
    for place in 0..<2_300_000 {
      guard marks.append() == place else {
        Issue.record("not at \(place)")
        return
      }
      // One in 1,000 stays.
      if place % 1_000 == 0 { standing.append(place) } else { marks.erase(place) }
      if place % 230_000 == 229_999 {
        for _ in 0..<50 where !standing.isEmpty {
          marks.erase(standing.remove(at: random.below(standing.count)))
        }
        let ranks = standing.map { marks.count(from: $0) }
        #expect(ranks == standing.indices.map { standing.count - $0 })
      }
    }
  }
}

/// Sums of a range, the plain way.
private final class Fenwick {
  private var sums: [Int]
  private var total = 0

  init(count: Int) { sums = [Int](repeating: 0, count: count + 1) }

  func add(_ value: Int, at place: Int) {
    total += value
    var index = place + 1
    while index < sums.count {
      sums[index] += value
      index += index & -index
    }
  }

  func sum(from place: Int) -> Int {
    var left = 0
    var index = place
    while index > 0 {
      left += sums[index]
      index -= index & -index
    }
    return total - left
  }
}

@Suite("The weighted bound")
struct WeightedBoundTests {
  /// Zipf's law, with sizes that lines may change, and some sets, updates and deletes.
  private func trace(seed: UInt64) -> InternedTrace {
    let zipf = ZipfTrace(requests: 3_000, keys: 120, seed: seed)
    var random = RandomSource(seed: seed)
    let kinds: [TraceOperation] = [.get, .get, .get, .get, .get, .get, .set, .update, .delete]
    return InternedTrace(
      name: "t", ids: zipf.ids, distinct: zipf.distinct,
      operations: zipf.ids.map { _ in kinds[random.below(kinds.count)] },
      weights: zipf.ids.map { Int32($0 % 40) + Int32(random.below(3)) })
  }

  @Test("No policy of the registry has fewer misses, in bytes or in entities", arguments: 1...3)
  func everyPolicy(seed: Int) {
    let trace = trace(seed: UInt64(seed))
    let sizes = [1, 7, 40, 100, 300, 900, 5_000]
    for updates in ReplayRules.Updates.allCases {
      for isInBytes in [false, true] {
        let bound = WeightedBound(of: trace, isInBytes: isInBytes, updates: updates)
          .misses(capacities: sizes)
        for policy in EvictionPolicies.all where policy.name != "unbounded" {
          for (size, least) in zip(sizes, bound) {
            let counts = policy.replayOperations(
              trace.lines,
              ReplayRules(
                capacity: isInBytes ? .bytes(size) : .entities(size), updates: updates),
              RandomSource(seed: 1))
            #expect(counts.misses >= least, "\(policy.name), \(size), \(updates)")
          }
        }
      }
    }
  }

  @Test("It is the least number of misses where hits do not compete, and close to it elsewhere")
  func equalWeights() throws {
    let zipf = ZipfTrace(requests: 20_000, keys: 1_000, seed: 4)
    let trace = InternedTrace(name: "t", ids: zipf.ids, distinct: zipf.distinct)
    let clairvoyant = try #require(EvictionPolicies.named("clairvoyant-bypass"))
    let bound = WeightedBound(of: trace, isInBytes: false)
    let sizes = [10, 100, 500, zipf.distinct]
    for (size, least) in zip(sizes, bound.misses(capacities: sizes)) {
      let optimum = Replay.run(
        Replay.Cell(policy: clairvoyant, capacity: size), of: trace, seed: 1
      ).counts.misses
      #expect(least <= optimum)
      #expect(optimum - least <= 20_000 / 20, "\(size): \(least) of \(optimum)")
    }
    #expect(bound.misses(capacities: [zipf.distinct]) == [zipf.distinct])
  }

  @Test("A picture: a light key pays for its hits before a heavy one does")
  func picture() {
    // a(1) b(9) a b: a hit of a costs 2 lines of 1, one of b 2 lines of 9; three lines are between.
    let trace = InternedTrace(
      name: "t", ids: [0, 1, 0, 1], distinct: 2, weights: [1, 9, 1, 9])
    let bound = WeightedBound(of: trace, isInBytes: true)
    #expect(bound.misses(capacities: [0, 1, 6, 7]) == [4, 3, 3, 2])
  }
}
