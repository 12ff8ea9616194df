import Analysis
import ResultModel
import Testing

@testable import Reporting

@Suite("Counts and times in a gate's report")
struct MeasuredTextTests {
  private static func finding(
    _ metric: Metric, _ name: ResultClass, _ outcome: MeasuredFinding.Outcome, _ baseline: Double?,
    _ candidate: Double?, reason: String? = nil
  ) -> MeasuredFinding {
    var change: Double?
    if let baseline, let candidate, baseline != 0 { change = candidate / baseline - 1 }
    return MeasuredFinding(
      figure: ResultRow(
        scenario: "operations", policy: "", seed: 1, class: name, metric: metric, value: nil
      ).figure,
      outcome: outcome, baseline: baseline, candidate: candidate, change: change, reason: reason)
  }

  private static var verdict: Verdict {
    var slower = finding(.operationTime, "single", .worse, 1_500, 1_680)
    slower.interval = 0.1...0.14
    slower.rounds = 12
    slower.detectable = 0.06
    var unclear = finding(
      .operationTime, "listing", .inconclusive, 12_000, 12_360,
      reason: "12 rounds are too few to decide")
    unclear.interval = -0.01...0.08
    unclear.rounds = 12
    unclear.detectable = 0.09
    var verdict = Verdict(incompatibilities: [])
    verdict.measured = [
      finding(.allocationsPerEvent, "single", .worse, 0, 1),
      finding(.instructionsPerEvent, "single", .worse, 8_000, 8_900),
      finding(.instructionsPerEvent, "decode", .same, 400_000, 400_001),
      finding(.instructionsPerRead, "listing", .error, 70_000, nil, reason: "it was not measured"),
      finding(.bytesPerEntity, .total, .better, 1_400, 1_300), slower, unclear,
      finding(.operationTime, "decode", .same, 40_000, 40_100),
    ]
    verdict.untested = ["exact figures: left out"]
    return verdict
  }

  @Test("Worse figures come first, with their cause; equal ones are counted")
  func text() {
    expectSnapshot(
      GateReport.text(Self.verdict, style: TextStyle(width: 1_000)),
      """
      worse operations: allocations_per_event[single] 0 → 1, 1 worse
      worse operations: operation_time[single] 1,500 ns → 1,680 ns, 12.0 % worse (10.0 to 14.0 %, 12 rounds, \
      could see 6.0 %); 1 more allocations_per_event; 900 more instructions_per_event
      worse operations: instructions_per_event[single] 8,000 → 8,900, 11.3 % worse
      error operations: instructions_per_read[listing]: it was not measured
      inconclusive operations: operation_time[listing] 12,000 ns → 12,360 ns, 3.0 % more \
      (-1.0 to 8.0 %, 12 rounds, could see 9.0 %); 12 rounds are too few to decide
      better operations: bytes_per_entity 1,400 B → 1,300 B, 7.1 % better
      gate failed: 2 counts worse, 1 count not measured, \
      1 count better, 1 count the same, 1 time worse, 1 time inconclusive, 1 time the same
      times: could see 6.0 to 9.0 %, of 1 not even 50 %; a smaller change is inconclusive or the same
      not compared: exact figures: left out

      """)
  }

  @Test("JUnit has a failure for a worse figure and an error for an inconclusive one")
  func junit() {
    let document = GateJUnit.document(Self.verdict)
    #expect(document.contains("tests=\"8\" failures=\"3\" errors=\"2\""), "\(document)")
  }

  @Test("The outcome follows: worse, then open, then passed")
  func outcome() {
    var verdict = Self.verdict
    #expect(verdict.outcome == .failed)
    verdict.measured.removeAll { $0.outcome == .worse }
    #expect(verdict.outcome == .inconclusive)
    verdict.measured.removeAll(where: \.outcome.leavesDoubt)
    #expect(verdict.outcome == .passed)
  }
}
