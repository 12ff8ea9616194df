import ResultModel
import Testing

@testable import Analysis

@Suite("Verdicts of recordings that leave open which hits were fresh")
struct RecordedVerdictTests {
  /// The rows of one run: shares of reads that were fresh for certain, and that may have been; all others are stale
  /// or misses.
  private static func rows(_ policy: String, fresh: Double, unknown: Double, stale: Double)
    -> [ResultRow]
  {
    [
      (Metric.freshHitRatio, Statistic.lower, fresh), (.freshHitRatio, .upper, fresh + unknown),
      (.staleReadShare, .lower, stale), (.staleReadShare, .upper, stale + unknown),
    ].map { metric, statistic, value in
      ResultRow(
        scenario: "s", policy: policy, seed: 1, class: .all, metric: metric, statistic: statistic,
        value: .real(value))
    }
  }

  private static func verdict(
    _ policies: [(name: String, fresh: Double, unknown: Double, stale: Double)],
    stale: Double? = nil, obstacle: String? = nil
  ) -> RecordedVerdict {
    let rows = policies.map {
      Self.rows($0.name, fresh: $0.fresh, unknown: $0.unknown, stale: $0.stale)
    }
    let goal = Goal(
      .maximise, Figure(.freshHitRatio),
      subjectTo: stale.map { [Constraint(.staleReadShare, .atMost, $0)] } ?? [], limits: nil)
    let ends = [false, true].map { isFresh in
      let rule = goal.countingUnknownHits(asFresh: isFresh)
      return Selection.verdict(by: rule, among: policies.map(\.name), plan: .fixed(1)) { demand in
        zip(policies, rows).filter { demand.contenders.contains($0.0.name) }.map {
          ObservedSample(contender: $0.name, runs: [$1], figures: rule.requiredFigures)
        }
      }
    }
    return RecordedVerdict(
      ifStale: ends[0], ifFresh: ends[1], scenario: "s", rows: rows.flatMap(\.self),
      obstacle: obstacle)
  }

  @Test("A policy is best if it is so with all unknown hits stale, and with all of them fresh")
  func best() {
    let both = Self.verdict([("a", 0.5, 0.1, 0), ("b", 0.4, 0.15, 0)])
    #expect(both.best == ["a"])
    #expect(both.objective == [0.5, 0.6])
    let open = Self.verdict([("a", 0.5, 0.1, 0), ("b", 0.4, 0.3, 0)])
    #expect(open.best.isEmpty)
    #expect(open.ifStale.named == ["a"] && open.ifFresh.named == ["b"])
    #expect(open.candidates == ["a", "b"])
  }

  @Test("Of too little nobody is named, and the reason is given where somebody would be")
  func tooLittle() {
    let few = Self.verdict([("a", 0.5, 0.1, 0), ("b", 0.4, 0.15, 0)], obstacle: "4 reads")
    #expect(few.best.isEmpty && few.obstacle == "4 reads")
    let open = Self.verdict([("a", 0.5, 0.1, 0), ("b", 0.4, 0.3, 0)], obstacle: "4 reads")
    #expect(open.obstacle == nil)
  }

  @Test("A tie without a hit known to be fresh is not an equivalence")
  func nothingKnown() {
    let open = Self.verdict([("a", 0, 0.9, 0), ("b", 0, 0, 0)])
    #expect(open.best.isEmpty && !open.isWithoutHits)
    #expect(Self.verdict([("a", 0, 0, 0), ("b", 0, 0, 0)]).isWithoutHits)
  }

  @Test("A limit on stale reads is kept by its upper end, broken by its lower, and open between")
  func limits() {
    #expect(Self.verdict([("a", 0.5, 0.01, 0.02)], stale: 0.05).best == ["a"])
    let open = Self.verdict([("a", 0.5, 0.1, 0.02)], stale: 0.05)
    #expect(open.best.isEmpty && open.ifFresh.named == ["a"])
    #expect(open.openLimits(of: "a").map(\.limit) == [0.05])
    let broken = Self.verdict([("a", 0.5, 0.1, 0.2)], stale: 0.05)
    #expect(broken.ifFresh.named.isEmpty && broken.openLimits(of: "a").isEmpty)
  }
}
