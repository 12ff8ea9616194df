import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Formats of a verdict for continuous integration")
struct GateFormatTests {
  private static func row(
    _ scenario: String, _ policy: String, _ metric: Metric, _ value: Double?
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: policy, seed: 1, class: .all, metric: metric,
      value: value.map { .real($0) })
  }

  private static func recording(
    _ scenario: String, _ digest: String = "0", asking targets: [Target] = []
  ) -> ScenarioIdentity {
    ScenarioIdentity(
      scenario: scenario, workload: [.init("recording", digest)],
      contenders: targets.map { .init($0.path(of: nil), "\($0.limit)") }, isRecorded: true)
  }

  /// One policy of each kind, a target of each outcome, and a scenario of another workload.
  private static func verdict(named scenario: String = "chat") -> Verdict {
    let baseline = [
      row(scenario, "worse", .freshHitRatio, 0.9), row(scenario, "hole", .freshHitRatio, 0.9),
      row(scenario, "same", .freshHitRatio, 0.9), row(scenario, "better", .freshHitRatio, 0.9),
      row(scenario, "gone", .freshHitRatio, 0.9), row("other", "lru", .freshHitRatio, 0.9),
    ]
    let candidate = [
      row(scenario, "worse", .freshHitRatio, 0.8), row(scenario, "hole", .freshHitRatio, nil),
      row(scenario, "same", .freshHitRatio, 0.9), row(scenario, "better", .freshHitRatio, 0.95),
      row(scenario, "new", .freshHitRatio, 0.9), row("other", "lru", .freshHitRatio, 0.1),
    ]
    func target(_ limit: Double) -> Target {
      Target(
        scenario: scenario, metric: .freshHitRatio, class: .all, comparison: .atLeast,
        limit: limit, policies: ["worse", "hole", "same"])
    }
    let targets = [target(0.85), target(0.99)]
    return Gate.compare(
      baseline: ResultSet(
        scenarios: [recording(scenario, asking: targets), recording("other")], rows: baseline),
      candidate: ResultSet(
        scenarios: [recording(scenario, asking: targets), recording("other", "1")],
        rows: candidate),
      targets: targets)
  }

  @Test("JUnit: worse is a failure, inconclusive an error, nothing is skipped")
  func junit() {
    expectSnapshot(
      GateJUnit.document(Self.verdict()),
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="tidemark gate">
        <testsuite name="chat" tests="12" failures="4" errors="3">
          <testcase classname="chat" name="worse">
            <failure message="fresh_hit_ratio[all] 90.0 → 80.0 %, 10.0 points worse"/>
          </testcase>
          <testcase classname="chat" name="gone">
            <failure message="the policy is in the baseline only"/>
          </testcase>
          <testcase classname="chat" name="worse: fresh_hit_ratio[all] ≥ 85.0 %">
            <failure message="is 80.0 %, limit ≥ 85.0 %: missed"/>
          </testcase>
          <testcase classname="chat" name="worse: fresh_hit_ratio[all] ≥ 99.0 %">
            <failure message="is 80.0 %, limit ≥ 99.0 %: missed by more than in the baseline"/>
          </testcase>
          <testcase classname="chat" name="hole">
            <error message="fresh_hit_ratio[all] was 90.0 %, has no value"/>
          </testcase>
          <testcase classname="chat" name="hole: fresh_hit_ratio[all] ≥ 85.0 %">
            <error message="is –, limit ≥ 85.0 %: no data: no value"/>
          </testcase>
          <testcase classname="chat" name="hole: fresh_hit_ratio[all] ≥ 99.0 %">
            <error message="is –, limit ≥ 99.0 %: no data: no value"/>
          </testcase>
          <testcase classname="chat" name="better"/>
          <testcase classname="chat" name="new"/>
          <testcase classname="chat" name="same"/>
          <testcase classname="chat" name="same: fresh_hit_ratio[all] ≥ 85.0 %"/>
          <testcase classname="chat" name="same: fresh_hit_ratio[all] ≥ 99.0 %"/>
        </testsuite>
        <testsuite name="other" tests="1" failures="0" errors="1">
          <testcase classname="other" name="workload">
            <error message="other: its workload is not the baseline's: recording was 0, is 1; renew the baseline with `tidemark bench --baseline`"/>
          </testcase>
        </testsuite>
      </testsuites>

      """)
  }

  @Test(
    "No two cases of a JUnit suite have one name: a policy of several findings is one case, as bad as the worst"
  )
  func uniqueNames() {
    func rows(_ fresh: Double, _ bytes: Double) -> [ResultRow] {
      [
        Self.row("chat", "lru", .freshHitRatio, fresh),
        Self.row("chat", "lru", .bytesFetched, bytes),
      ]
    }
    func target(_ limit: Double) -> Target {
      Target(
        scenario: "chat", metric: .freshHitRatio, class: .all, comparison: .atLeast, limit: limit,
        policies: ["lru"])
    }
    let scenarios = [Self.recording("chat")]
    let verdict = Gate.compare(
      baseline: ResultSet(scenarios: scenarios, rows: rows(0.9, 1e6)),
      candidate: ResultSet(scenarios: scenarios, rows: rows(0.8, 1e5)),
      targets: [target(0.5), target(0.5), target(0.6)])
    expectSnapshot(
      GateJUnit.document(verdict),
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="tidemark gate">
        <testsuite name="chat" tests="3" failures="1" errors="0">
          <testcase classname="chat" name="lru">
            <failure message="fresh_hit_ratio[all] 90.0 → 80.0 %, 10.0 points worse"/>
          </testcase>
          <testcase classname="chat" name="lru: fresh_hit_ratio[all] ≥ 50.0 %"/>
          <testcase classname="chat" name="lru: fresh_hit_ratio[all] ≥ 60.0 %"/>
        </testsuite>
      </testsuites>

      """)
  }

  @Test("Markdown: failures, then inconclusive figures, in one table")
  func markdown() {
    expectSnapshot(
      GateMarkdown.text(Self.verdict()),
      """
      ### gate failed

      1 main figure worse, 1 missing, 1 better, 1 the same, 1 policy removed, 1 policy added; \
      targets: 1 met, 2 missed, 2 without a verdict, 1 missed as in the baseline

      | scenario | policy | finding |
      | --- | --- | --- |
      | chat | worse | fresh_hit_ratio[all] 90.0 → 80.0 %, 10.0 points worse |
      | chat | gone | the policy is in the baseline only |
      | chat | worse: fresh_hit_ratio[all] ≥ 85.0 % | is 80.0 %, limit ≥ 85.0 %: missed |
      | chat | worse: fresh_hit_ratio[all] ≥ 99.0 % | is 80.0 %, limit ≥ 99.0 %: missed by more than in the baseline |
      | other | workload | other: its workload is not the baseline's: recording was 0, is 1; renew the baseline with `tidemark bench --baseline` |
      | chat | hole | fresh_hit_ratio[all] was 90.0 %, has no value |
      | chat | hole: fresh_hit_ratio[all] ≥ 85.0 % | is –, limit ≥ 85.0 %: no data: no value |
      | chat | hole: fresh_hit_ratio[all] ≥ 99.0 % | is –, limit ≥ 99.0 %: no data: no value |

      """)
  }

  @Test("A summary that is too large ends on a row, and counts the rest")
  func largeSummary() {
    let name = String(repeating: "p", count: 5_000)
    func rows(_ value: Double) -> [ResultRow] {
      (0..<300).map { Self.row("chat", "\(name)\($0)", .freshHitRatio, value) }
    }
    let scenarios = [Self.recording("chat")]
    let text = GateMarkdown.text(
      Gate.compare(
        baseline: ResultSet(scenarios: scenarios, rows: rows(0.9)),
        candidate: ResultSet(scenarios: scenarios, rows: rows(0.8)), targets: []))
    #expect(text.utf8.count <= GateMarkdown.largestText + 100)
    let lines = text.split(separator: "\n")
    let shown = lines.count { $0.hasPrefix("| chat") }
    #expect(shown > 100)
    #expect(lines.last == "\(300 - shown) more are in verdict.json")
    #expect(lines.dropLast().last?.hasSuffix(" |") == true)
  }

  @Test("Annotations: the five worst, one line each")
  func annotations() {
    let lines = GateAnnotations.text(Self.verdict()).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(
      lines.first
        == "::error title=gate%3A chat/worse::fresh_hit_ratio[all] 90.0 → 80.0 %25, 10.0 points worse"
    )
    #expect(lines.map { $0.hasPrefix("::error ") } == [true, true, true, true, false])
    #expect(lines.last?.hasPrefix("::warning ") == true)
  }

  @Test("A name ends no cell, no attribute and no line")
  func hostileNames() {
    let verdict = Self.verdict(named: "a|b\"<&>\n::error::\u{1B}[31m\r,%\u{0}")
    let annotations = GateAnnotations.text(verdict)
    #expect(annotations.split(whereSeparator: \.isNewline).count == 5)
    #expect(annotations.split(whereSeparator: \.isNewline).allSatisfy { $0.hasPrefix("::") })
    let markdown = GateMarkdown.text(verdict)
    for line in markdown.split(separator: "\n") where line.hasPrefix("| ") {
      #expect(line.replacing("\\|", with: "").split(separator: "|").count == 3, "\(line)")
    }
    let junit = GateJUnit.document(verdict)
    #expect(
      junit.contains("name=\"a|b&quot;&lt;&amp;&gt;&#10;::error::\u{FFFD}[31m&#13;,%\u{FFFD}\""))
    #expect(junit.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
  }

  @Test("A run that ended early is an error, and no pass, in every format")
  func failedRun() throws {
    let rows = [Self.row("chat", "same", .freshHitRatio, 0.9)]
    let set = ResultSet(scenarios: [Self.recording("chat")], rows: rows)
    var verdict = Gate.compare(baseline: set, candidate: set, targets: [])
    #expect(verdict.outcome == .passed)
    verdict.failedRuns = [
      FailedRun(.init(scenario: "chat", policy: "mine"), reason: "chat, cache mine: it ended")
    ]
    #expect(verdict.outcome == .inconclusive)
    #expect(GateJUnit.document(verdict).contains("<error message=\"chat, cache mine: it ended\""))
    #expect(GateMarkdown.text(verdict).contains("| chat | mine | chat, cache mine: it ended |"))
    #expect(
      GateReport.text(verdict, style: .plain).contains("not run: chat, cache mine: it ended\n"))
    let json = String(decoding: try VerdictJSON.document(verdict), as: UTF8.self)
    #expect(json.contains("\"reason\": \"chat, cache mine: it ended\""))
    #expect(GateAnnotations.text(verdict).hasPrefix("::warning title=gate%3A chat/mine::"))
  }
}
