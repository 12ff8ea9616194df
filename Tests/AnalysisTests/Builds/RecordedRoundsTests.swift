import CacheModel
import CacheTestSupport
import Foundation
import ResultModel
import Testing

@testable import Analysis

/// The comparison of builds with real processes: sixty recorded rounds of one build against itself, and
/// a thousand gates drawn from them.
@Suite("Recorded rounds of one build")
struct RecordedRoundsTests {
  private typealias Arm = BuildComparison.Arm

  /// Of a gate, as `tidemark gate --against` has them.
  private static let rounds = 14
  /// Rounds that follow each other share the machine's mood, so they are drawn together.
  private static let block = 4

  private struct Recording {
    var operations: [String]
    /// By operation, arm and round.
    var values: [[[Double]]]

    var rounds: Int { values[0][0].count }

    init() throws {
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Data/rounds.csv")
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",").map(String.init) }
      operations = lines.filter { $0[0] == "1" }.map { $0[1] }
      values = operations.map { operation in
        Arm.allCases.map { arm in
          lines.filter { $0[1] == operation }.compactMap { Double($0[2 + arm.rawValue]) }
        }
      }
    }

    /// A series of rounds, in blocks, each from anywhere.
    func series(_ random: inout RandomSource, arms: [Arm]) -> [BuildComparison.Series] {
      var chosen: [Int] = []
      while chosen.count < RecordedRoundsTests.rounds {
        let start = random.below(rounds - RecordedRoundsTests.block + 1)
        chosen += start..<start + RecordedRoundsTests.block
      }
      chosen = Array(chosen.prefix(RecordedRoundsTests.rounds))
      return operations.indices.map { operation in
        BuildComparison.Series(
          FigureIdentity(
            scenario: "operations", policy: "",
            class: ResultClass(text: operations[operation]) ?? .all, metric: .operationTime,
            statistic: .value),
          arms.map { arm in chosen.map { values[operation][arm.rawValue][$0] } })
      }
    }

    /// A gate, and the series that confirms it.
    func gate(_ random: inout RandomSource, arms: [Arm]) -> [MeasuredFinding] {
      var rules = BuildComparison.Rules()
      rules.powerResamples = 0
      let comparison = BuildComparison(rules: rules)
      let first = series(&random, arms: arms)
      let second =
        comparison.wantsConfirmation(first)
        ? series(&random, arms: [arms[0], arms[1], arms[0], arms[0]]) : nil
      return comparison.judge(first, confirmation: second)
    }
  }

  @Test(
    "Among a thousand gates of a build with itself, at most two in a hundred report a difference")
  func falseAlarms() throws {
    let recording = try Recording()
    #expect(recording.rounds == 60)
    var random = RandomSource(seed: 1)
    var alarms = 0
    var same = 0
    for _ in 0..<Self.gates {
      let findings = recording.gate(&random, arms: Arm.allCases)
      if findings.contains(where: \.outcome.isApart) { alarms += 1 }
      same += findings.count { $0.outcome == .same }
    }
    #expect(alarms * 50 <= Self.gates, "\(alarms) of \(Self.gates)")
    let verdicts = Self.gates * recording.operations.count
    #expect(same * 100 >= verdicts * 95, "\(same) of \(verdicts)")
  }

  private static let gates = Trials.count(200, of: 1_000)

  @Test("Ten hundredths more are worse in 27 of 30 gates at least, whatever the operation")
  func planted() throws {
    let recording = try Recording()
    var random = RandomSource(seed: 2)
    let outcomes = (0..<30).map { _ in
      // The arm that was made slower is judged.
      recording.gate(&random, arms: [.baseline, .canary, .control, .canary]).map(\.outcome)
    }
    for operation in recording.operations.indices {
      let worse = outcomes.count { $0[operation] == .worse }
      #expect(worse >= 27, "\(recording.operations[operation]): \(worse)")
    }
  }
}
