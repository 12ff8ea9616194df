import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

@testable import TraceReplay

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
