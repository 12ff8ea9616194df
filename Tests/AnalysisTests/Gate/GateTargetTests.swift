import Analysis
import ResultModel
import Testing

@Suite("Targets in a gate")
struct GateTargetTests {
  /// A run's rows for a target of a hit ratio of at least 0.9.
  enum Case: CaseIterable {
    case met
    case missed
    case absent
    case empty

    fileprivate func rows(of policy: String = "lru") -> [ResultRow] {
      var row = ResultRow(
        scenario: "file-browser", policy: policy, seed: 1, class: "file", metric: .hitRatio,
        value: nil)
      switch self {
      case .met: row.value = .real(0.95)
      case .missed: row.value = .real(0.5)
      case .empty: break
      case .absent: return []
      }
      return [row]
    }
  }

  private static let target = Target(
    scenario: "file-browser", metric: .hitRatio, class: "file", comparison: .atLeast, limit: 0.9,
    policies: ["lru"])

  private static func results(
    _ rows: [ResultRow], digest: String = "d", asking: [ScenarioIdentity.Field] = asked(target)
  ) -> ResultSet {
    // One more row, so that a run without the target's value is still a run.
    let reads = ResultRow(
      scenario: "file-browser", policy: "lru", seed: 1, metric: .reads, value: .integer(5))
    return ResultSet(
      scenarios: [
        ScenarioIdentity(
          scenario: "file-browser", workload: [.init("digest", digest)], contenders: asking)
      ],
      rows: [reads] + rows)
  }

  /// A scenario's record of a target.
  private static func asked(_ target: Target, of policy: String? = nil) -> [ScenarioIdentity.Field]
  {
    [.init(target.path(of: policy), "\(target.limit)")]
  }

  private static func compare(
    baseline: [ResultRow], candidate: [ResultRow], _ target: Target = target
  ) -> Verdict {
    Gate.compare(
      baseline: results(baseline, asking: asked(target)),
      candidate: results(candidate, asking: asked(target)), targets: [target])
  }

  private static let table: [(Case, Case, TargetComparison.Outcome, Verdict.Outcome)] = [
    // baseline, now, target, gate
    (.met, .met, .met, .passed),
    (.met, .missed, .missed, .failed),
    (.met, .absent, .undecided, .inconclusive),
    (.met, .empty, .undecided, .inconclusive),
    (.missed, .met, .met, .passed),
    (.missed, .missed, .stillMissed, .passed),
    (.missed, .absent, .undecided, .inconclusive),
    (.missed, .empty, .undecided, .inconclusive),
    (.absent, .met, .met, .passed),
    (.absent, .missed, .missed, .failed),
    (.absent, .absent, .undecided, .inconclusive),
    (.absent, .empty, .undecided, .inconclusive),
    (.empty, .met, .met, .inconclusive),  // There is nothing to compare the row with.
    (.empty, .missed, .missed, .failed),
    (.empty, .absent, .undecided, .inconclusive),
    (.empty, .empty, .undecided, .inconclusive),
  ]

  @Test("the baseline and this run decide target and gate", arguments: table)
  func decision(
    before: Case, now: Case, target: TargetComparison.Outcome, gate: Verdict.Outcome
  ) {
    let verdict = Self.compare(baseline: before.rows(), candidate: now.rows())
    #expect(verdict.targets.map(\.outcome) == [target])
    #expect(verdict.outcome == gate)
  }

  @Test("the table has every pair once")
  func complete() {
    #expect(Self.table.count == Case.allCases.count * Case.allCases.count)
    for before in Case.allCases {
      for now in Case.allCases {
        #expect(Self.table.count { $0.0 == before && $0.1 == now } == 1)
      }
    }
  }

  @Test(
    "a target that is missed by more than in the baseline fails, however little and in one seed; by less it does not",
    arguments: [
      (0.4999, TargetComparison.Outcome.missed), (0.5, .stillMissed), (0.6, .stillMissed),
    ])
  func distance(value: Double, outcome: TargetComparison.Outcome) {
    var now = Case.missed.rows()
    now[0].value = .real(value)
    let verdict = Self.compare(baseline: Case.missed.rows(), candidate: now)
    #expect(verdict.targets.map(\.outcome) == [outcome])
    #expect(verdict.targets[0].isMissedByMore == (outcome == .missed))
    #expect((verdict.outcome == .failed) == (outcome == .missed))
  }

  /// Each with what was asked of the baseline, which missed this run's target with the same value.
  private static let otherTargets: [(String, [ScenarioIdentity.Field], TargetComparison.Outcome)] =
    {
      func other(_ change: (inout Target) -> Void) -> Target {
        var other = target
        change(&other)
        return other
      }
      return [
        ("the same", asked(target, of: "lru"), .stillMissed),
        ("the same of all policies", asked(target), .stillMissed),
        ("a stricter one", asked(other { $0.limit = 0.91 }), .stillMissed),
        ("two, one of them as strict", [.init(target.path(of: "lru"), "0.1 0.9")], .stillMissed),
        ("a looser one", asked(other { $0.limit = 0.89 }), .missed),
        ("one of another policy", asked(target, of: "ttl"), .missed),
        ("one of another class", asked(other { $0.class = .all }), .missed),
        ("one of another metric", asked(other { $0.metric = .freshHitRatio }), .missed),
        ("one of another statistic", asked(other { $0.statistic = .p99 }), .missed),
        ("one in the other direction", asked(other { $0.comparison = .atMost }), .missed),
        ("none", [], .missed),
      ]
    }()

  @Test(
    "the baseline excuses a missed target only if as much was asked of it: a new or stricter one fails"
  )
  func otherTarget() {
    for (asked, fields, outcome) in Self.otherTargets {
      let verdict = Gate.compare(
        baseline: Self.results(Case.missed.rows(), asking: fields),
        candidate: Self.results(Case.missed.rows()), targets: [Self.target])
      #expect(verdict.targets.map(\.outcome) == [outcome], "\(asked)")
      #expect(verdict.outcome == (outcome == .missed ? .failed : .passed), "\(asked)")
    }
  }

  @Test("a target that only the baseline has is a change that is said")
  func removed() {
    let rows = Case.missed.rows()
    let verdict = Gate.compare(
      baseline: Self.results(rows), candidate: Self.results(rows, asking: []), targets: [])
    #expect(
      verdict.contenderChanges.flatMap(\.fields) == [
        FieldChange(
          path: "targets.hit_ratio[file].at_least", baseline: "0.9", candidate: nil)
      ])
    #expect(verdict.outcome == .passed)
  }

  @Test("each policy is held to its own baseline")
  func policies() {
    var target = Self.target
    target.policies = ["lru", "ttl"]
    let verdict = Self.compare(
      baseline: Case.missed.rows(of: "lru") + Case.met.rows(of: "ttl"),
      candidate: Case.missed.rows(of: "lru") + Case.missed.rows(of: "ttl"), target)
    #expect(verdict.targets.map(\.outcome) == [.stillMissed, .missed])
    #expect(verdict.outcome == .failed)
  }

  @Test("times of the baseline excuse nothing, and a noisy machine decides nothing")
  func wallClock() {
    func rows(_ value: Int64, control: Int64) -> [ResultRow] {
      [(Metric.updateToNotify, value), (.controlNotify, control)].map {
        ResultRow(
          scenario: "file-browser", policy: "lru", seed: 1, class: "single", metric: $0.0,
          statistic: .p99, value: .integer($0.1))
      }
    }
    let target = Target(
      scenario: "file-browser", metric: .updateToNotify, statistic: .p99, class: "single",
      comparison: .atMost, limit: 1_000, policies: ["lru"])
    let slow = rows(2_000, control: 10)
    #expect(Self.compare(baseline: slow, candidate: slow, target).outcome == .failed)
    let noisy = rows(10, control: 600)
    #expect(Self.compare(baseline: slow, candidate: noisy, target).outcome == .inconclusive)
  }

  @Test("where the workload is another, no target is judged")
  func incompatible() {
    let missed = Case.missed.rows()
    let verdict = Gate.compare(
      baseline: Self.results(missed, digest: "other"), candidate: Self.results(missed),
      targets: [Self.target])
    #expect(verdict.targets.isEmpty)
    #expect(verdict.outcome == .incompatible)
  }
}
