import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Verdicts in words")
struct VerdictTextTests {
  /// A contender whose fresh reads, in thousandths, go up and down by the seed, with other figures.
  struct Entry {
    var name: String
    var fresh: Int
    var swing = 0
    var stale = 0.0
    var wait = 1_000_000.0
    var over = 0.9
    /// Its use of a limit from the sixth seed on, if that differs.
    var overLater: Double?
  }

  static func verdict(
    _ entries: [Entry], rule: Goal = .freshReads(), plan: SeedPlan = .fixed(10)
  ) -> ShipVerdict {
    Selection.verdict(by: rule, among: entries.map(\.name), plan: plan) { demand in
      entries.filter { demand.contenders.contains($0.name) }.map { entry in
        func column(_ figure: Figure, _ value: (Int) -> Double) -> ObservedSample.Column {
          ObservedSample.Column(figure, demand.seeds.map { value($0) })
        }
        return ObservedSample(
          contender: entry.name, seedCount: demand.seeds.count,
          columns: [
            column(.freshHitRatio()) {
              Double(entry.fresh + ($0.isMultiple(of: 2) ? entry.swing : -entry.swing)) / 1_000
            },
            column(.staleReadShare) { _ in entry.stale }, column(.readWait) { _ in entry.wait },
            column(.overLimit) { $0 < 5 ? entry.over : entry.overLater ?? entry.over },
          ])
      }
    }
  }

  private func sentence(_ verdict: ShipVerdict, margin: ReadMargin? = nil) -> String {
    VerdictText.sentence(ScenarioVerdict(scenario: "s", verdict: verdict, margin: margin))
  }

  @Test("Which policy to ship, by how much, over how many seeds, and why the other lost")
  func ship() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .missExpired, reads: 584)
    margin.count(winner: .hitFresh, runnerUp: .missCold, reads: 20)
    margin.count(winner: .partial, runnerUp: .hitFresh, reads: 10)
    let verdict = Self.verdict([
      Entry(name: "spacedrive", fresh: 767, swing: 4), Entry(name: "lru", fresh: 807),
    ])
    #expect(
      sentence(verdict, margin: margin)
        == "ship lru: 80.7 ± 0.0 % fresh hits, 4.0 ± 0.3 points ahead of spacedrive (10 seeds); "
        + "spacedrive lost 584 more reads to expiry (594 more in all, in 10 seeds)")
  }

  @Test("The reason names the seeds that the runner-up ran, though others ran on")
  func seedsOfReason() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .missExpired, reads: 9)
    let verdict = Self.verdict(
      [
        Entry(name: "lru", fresh: 807), Entry(name: "spacedrive", fresh: 767, swing: 4),
        Entry(name: "zero", fresh: 800, swing: 30, overLater: 1.2),
      ], plan: SeedPlan(looks: [5, 10]))
    #expect(
      sentence(verdict, margin: margin)
        == "ship lru: 80.7 ± 0.0 % fresh hits, 3.9 ± 0.8 points ahead of spacedrive (10 seeds); "
        + "spacedrive lost 9 more reads to expiry in 5 seeds; over a limit: zero")
  }

  @Test("A limit that all exceed is called by its name, here and elsewhere")
  func exceededLimit() {
    let over = Self.verdict([Entry(name: "a", fresh: 700, over: 1.2)])
    let limits = ["a": "memory"]
    #expect(
      VerdictText.sentence(
        ScenarioVerdict(scenario: "s", verdict: over, exceededLimits: limits)
      ) == "no policy keeps the limit on memory; nearest: a with 1.20 × (10 seeds)")
    let kept = Self.verdict([Entry(name: "a", fresh: 700)])
    let robustness = Robustness(
      of: kept,
      under: [.init(label: "half of lru's memory", verdict: over, exceededLimits: limits)])
    #expect(
      VerdictText.elsewhere(
        ScenarioVerdict(scenario: "s", verdict: kept, robustness: robustness))
        == "another answer in the only check: no policy keeps the limit on memory (half of lru's memory)"
    )
  }

  @Test("Causes of lost reads, and checks, are explained where they are printed")
  func legend() {
    var margin = ReadMargin()
    margin.count(winner: .hitFresh, runnerUp: .missInvalidated, reads: 9)
    let verdict = Self.verdict([Entry(name: "a", fresh: 700), Entry(name: "b", fresh: 800)])
    let open = Self.verdict([Entry(name: "a", fresh: 700)], plan: .fixed(1))
    let robustness = Robustness(
      of: verdict,
      under: [
        .init(label: "users who wait", verdict: verdict),
        .init(label: "4 × the duration", verdict: open),
      ])
    let plain = ScenarioVerdict(scenario: "s", verdict: verdict)
    let explained = ScenarioVerdict(
      scenario: "s", verdict: verdict, margin: margin, robustness: robustness)
    #expect(VerdictBlock.legend(of: [plain], rows: [], style: .plain) == "")
    expectSnapshot(
      VerdictBlock.legend(of: [plain, explained], rows: [], style: TextStyle(width: 60)),
      """
      invalidation  an event, a gap in the events or the app had
                    marked the answer stale
      checks        users who wait, 4 × the duration
      undecided     too few seeds there to decide

      """)
    #expect(
      VerdictText.elsewhere(explained)
        == "same winner in 1 of 2 checks; undecided in 1 (4 × the duration)")
  }

  @Test("Equals are named together, the cheaper first, and why")
  func equivalent() {
    let verdict = Self.verdict([
      Entry(name: "slow", fresh: 800, wait: 2_000_000), Entry(name: "quick", fresh: 801),
    ])
    #expect(
      sentence(verdict)
        == "equivalent within ± 0.5 points: quick, slow (10 seeds); prefer quick: slow waits 100.0 % longer"
    )
    let same = Self.verdict([Entry(name: "a", fresh: 800), Entry(name: "b", fresh: 800)])
    #expect(
      sentence(same)
        == "equivalent within ± 0.5 points: a, b (10 seeds); either: they cost the same in waiting, "
        + "bytes and memory")
  }

  @Test("A check with another answer says where the choice broke a limit there")
  func brokenElsewhere() {
    let verdict = Self.verdict([Entry(name: "a", fresh: 900), Entry(name: "b", fresh: 800)])
    let there = Self.verdict([
      Entry(name: "a", fresh: 900, over: 1.2), Entry(name: "b", fresh: 800),
    ])
    let scenario = ScenarioVerdict(
      scenario: "s", verdict: verdict,
      robustness: Robustness(of: verdict, under: [.init(label: "half", verdict: there)]))
    #expect(
      VerdictText.elsewhere(scenario)
        == "another answer in the only check: b, as a exceeds a limit (half)")
  }

  @Test("With one seed in which none meets the goal, each policy's value is printed, and the goal")
  func nobodyMeets() {
    let verdict = Self.verdict(
      [Entry(name: "a", fresh: 900, stale: 0.14), Entry(name: "b", fresh: 800, over: 5.61)],
      rule: .freshReads(subjectTo: [Constraint(.staleReadShare, .atMost, 0.02)]),
      plan: .fixed(1))
    #expect(
      sentence(verdict).hasPrefix(
        "no policy meets every constraint in this one seed: a has 14.0 % (stale_read_share ≤ 2.0 %), "
          + "b has 5.61 × (over_limit ≤ 1.00 ×)"))
  }

  @Test("Rows of fewer seeds than the verdict are named with their number")
  func fewerSeeds() {
    let verdict = Self.verdict([Entry(name: "a", fresh: 900), Entry(name: "b", fresh: 800)])
    func row(_ policy: String, _ seeds: Int) -> ResultRow {
      ResultRow(
        scenario: "s", policy: policy, seed: nil, class: .all, metric: .reads, value: .real(100),
        sampleCount: seeds)
    }
    func text(_ rows: [ResultRow]) -> String {
      VerdictBlock.text(
        ScenarioVerdict(scenario: "s", verdict: verdict), rows: rows, style: TextStyle(width: 100))
    }
    #expect(
      text([row("a", 10), row("b", 5), row("no-cache", 5)])
        .contains("b, no-cache: the first 5 seeds only; the verdict is of 10 seeds."))
    #expect(
      text([row("a", 5), row("b", 5)])
        .contains("All rows: the first 5 seeds only; the verdict is of 10 seeds."))
    #expect(!text([row("a", 10), row("b", 10)]).contains("Means of"))
  }

  @Test("An undecided verdict says which policies are left, and what it would take")
  func undecided() {
    let verdict = Self.verdict([
      Entry(name: "a", fresh: 800, swing: 10), Entry(name: "b", fresh: 803),
      Entry(name: "c", fresh: 100),
    ])
    #expect(
      sentence(verdict).hasPrefix("not decided after 10 seeds: a, b; b has the best mean; about "))
    #expect(sentence(verdict).hasSuffix(" seeds needed to decide"))
  }

  @Test("One seed gives no verdict")
  func oneSeed() {
    let verdict = Self.verdict(
      [Entry(name: "a", fresh: 800), Entry(name: "b", fresh: 700)], plan: .fixed(1))
    #expect(sentence(verdict) == "best of one seed, not a verdict: a")
  }

  @Test("A policy that breaks a limit does not win; if all do, the nearest is named")
  func limits() {
    let rule = Goal.freshReads(
      subjectTo: [Constraint(.staleReadShare, .atMost, 0.01)])
    let some = Self.verdict(
      [
        Entry(name: "stale", fresh: 900, stale: 0.18), Entry(name: "large", fresh: 950, over: 1.2),
        Entry(name: "plain", fresh: 800),
      ], rule: rule)
    #expect(
      sentence(some)
        == "ship plain: 80.0 ± 0.0 % fresh hits; no other keeps the limits (10 seeds); over a limit: "
        + "stale, large")
    let none = Self.verdict(
      [Entry(name: "a", fresh: 900, stale: 0.18), Entry(name: "b", fresh: 800, stale: 0.035)],
      rule: rule)
    #expect(
      sentence(none)
        == "no policy meets stale_read_share ≤ 1.0 %; nearest: b with 3.5 % (10 seeds)")
  }

  @Test("Unknown memory is reported")
  func memoryUnknown() {
    let verdict = Selection.verdict(
      by: .freshReads(), among: ["seen", "unseen"], memoryUnknown: ["unseen"], plan: .fixed(10)
    ) { demand in
      demand.contenders.map { name in
        func column(_ figure: Figure, _ value: Double?) -> ObservedSample.Column {
          ObservedSample.Column(figure, demand.seeds.map { _ in value })
        }
        let isSeen = name == "seen"
        return ObservedSample(
          contender: name, seedCount: demand.seeds.count,
          columns: [
            column(.freshHitRatio(), isSeen ? 0.5 : 0.8), column(.overLimit, isSeen ? 0.9 : nil),
          ])
      }
    }
    #expect(
      sentence(verdict)
        == "ship unseen: 80.0 ± 0.0 % fresh hits, 30.0 ± 0.0 points ahead of seen (10 seeds); memory "
        + "unknown: unseen")
  }

  @Test("Checks with another winner are named, and those that cannot be decided")
  func elsewhere() {
    let base = Self.verdict([Entry(name: "a", fresh: 900), Entry(name: "b", fresh: 800)])
    let other = Self.verdict([Entry(name: "a", fresh: 700), Entry(name: "b", fresh: 800)])
    let open = Self.verdict([
      Entry(name: "a", fresh: 800, swing: 10), Entry(name: "b", fresh: 803),
    ])
    let verdict = ScenarioVerdict(
      scenario: "s", verdict: base,
      robustness: Robustness(
        of: base,
        under: [
          .init(label: "by bytes", verdict: other), .init(label: "4 × the duration", verdict: base),
          .init(label: "half the memory", verdict: open),
          .init(
            label: "as much memory",
            verdict: Self.verdict([
              Entry(name: "a", fresh: 800), Entry(name: "b", fresh: 800),
            ])),
        ]))
    #expect(
      VerdictText.elsewhere(verdict)
        == "same winner in 1 of 4 checks; b in 1 (by bytes); a = b in 1 (as much memory); undecided in 1 "
        + "(half the memory)")
    #expect(VerdictText.elsewhere(ScenarioVerdict(scenario: "s", verdict: base)) == nil)
  }

  @Test(
    "A constraint that no policy keeps, or of which it is not known there, is named where it decides"
  )
  func constrained() {
    let rule = Goal.freshReads(subjectTo: [Constraint(.readWait, .atMost, 1_500_000)])
    func verdict(_ wait: Double, swing: Double = 0) -> ShipVerdict {
      Selection.verdict(by: rule, among: ["a"], plan: .fixed(10)) { demand in
        [
          ObservedSample(
            contender: "a", seedCount: demand.seeds.count,
            columns: [
              .init(.freshHitRatio(), demand.seeds.map { _ in 0.9 }),
              .init(.staleReadShare, demand.seeds.map { _ in 0 }),
              .init(.overLimit, demand.seeds.map { _ in 0.9 }),
              .init(
                .readWait, demand.seeds.map { $0.isMultiple(of: 2) ? wait + swing : wait - swing }),
            ])
        ]
      }
    }
    func elsewhere(of base: ShipVerdict) -> String? {
      VerdictText.elsewhere(
        ScenarioVerdict(
          scenario: "s", verdict: base,
          robustness: Robustness(
            of: base,
            under: [
              .init(label: "kept", verdict: verdict(1e6)),
              .init(label: "unknown", verdict: verdict(1.5e6, swing: 1e5)),
              .init(label: "as unknown", verdict: verdict(1.5e6, swing: 1e5)),
              .init(label: "broken", verdict: verdict(2e6)),
            ])))
    }
    #expect(
      elsewhere(of: verdict(1e6))
        == "same winner in 1 of 4 checks; no policy meets read_wait ≤ 1.5 ms in 1 (broken); undecided in 2 (unknown, "
        + "as unknown; read_wait ≤ 1.5 ms is not decided there)")
    #expect(
      elsewhere(of: verdict(2e6))
        == "same answer in 1 of 4 checks; a in 1 (kept); undecided in 2 (unknown, as unknown; read_wait ≤ 1.5 ms is "
        + "not decided there)"
    )
  }

  @Test("A broken limit is named with what it counts")
  func exceeded() {
    let verdict = Self.verdict([
      Entry(name: "a", fresh: 800), Entry(name: "b", fresh: 900, over: 2.4),
    ])
    let text = VerdictText.sentence(
      ScenarioVerdict(scenario: "s", verdict: verdict, exceededLimits: ["b": "queries"]))
    #expect(text.hasSuffix("over a limit: b (queries)"), "\(text)")
  }

  @Test("In the table of answers undecided ones come first")
  func table() {
    let decided = Self.verdict([Entry(name: "a", fresh: 900), Entry(name: "b", fresh: 800)])
    let open = Self.verdict([
      Entry(name: "a", fresh: 800, swing: 10), Entry(name: "b", fresh: 803),
    ])
    let table = RecommendationTable.table([
      ScenarioVerdict(
        scenario: "clear", verdict: decided,
        robustness: Robustness(
          of: decided,
          under: [
            .init(
              label: "by bytes",
              verdict: Self.verdict([Entry(name: "a", fresh: 1), Entry(name: "b", fresh: 90)]))
          ])), ScenarioVerdict(scenario: "open", verdict: open),
    ])
    expectSnapshot(
      table.terminal(style: .plain),
      """
      scenario  ship         by                          seeds  different winner when
      ────────  ───────────  ──────────────────────────  ─────  ─────────────────────
      open      not decided  a, b                           10
      clear     a            10.0±0.0 points ahead of b     10  by bytes: b

      """)
  }
}
