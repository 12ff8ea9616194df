import Analysis
import CommandLineInterface
import Foundation
import Processes
import Reporting
import ResultModel

/// Alternating processes of two builds, forwards and backwards, with their operation times.
struct BuildSeries {
  var baseline: URL
  var candidate: URL
  var rounds: Int
  var rules = BuildComparison.Rules()

  /// Longer than a process takes on a very busy machine.
  private static let deadline = Duration.seconds(120)

  struct Sample {
    var arm: BuildComparison.Arm
    var round: Int
    var rows: [ResultRow]
  }

  /// Runs the arms alternately until enough rounds are undisturbed, or twice as many were run.
  func samples(_ arms: [BuildComparison.Arm], progress: ProgressLine) async throws -> [Sample] {
    var samples: [Sample] = []
    var taken = 0
    while taken < 2 * rounds {
      let missing = rounds - Self.choice(of: samples).undisturbed
      guard missing > 0 else { break }
      let first = taken
      let more = min(missing, 2 * rounds - taken)
      samples += try await Turns(rounds: more).take(arms) { arm, round in
        progress.report("round \(first + round + 1), \(rounds) wanted")
        return Sample(arm: arm, round: first + round, rows: try await rows(of: arm))
      }.flatMap { $0 }
      taken += more
    }
    return samples
  }

  /// Returns the selection of rounds by their disturbance.
  static func choice(of samples: [Sample]) -> RoundChoice {
    let rounds = (samples.map(\.round).max() ?? -1) + 1
    return RoundChoice(
      controls: (0..<rounds).map { round in
        samples.filter { $0.round == round }.map { sample in
          sample.rows.first { $0.class == HotOperation.controlClass }?.value?.asDouble
        }
      })
  }

  private func rows(of arm: BuildComparison.Arm) async throws -> [ResultRow] {
    let executable = arm == .baseline || arm == .control ? baseline : candidate
    let slowdown = arm == .canary ? ["--slowdown", "\(rules.canarySlowdown)"] : []
    let run = ProcessRun(
      executable: executable, arguments: ["run-sample"] + slowdown, deadline: Self.deadline)
    do {
      return try ChildRows.rows(in: try await run.output(), seed: 1)
    } catch {
      throw CommandFailure(.data, "a sample of the \(arm): \(error)")
    }
  }

  /// Checks that the other build supports the measurement, by one process whose rows do not count.
  ///
  /// - Throws: ``CommandFailure`` of `baseline` if the revision has no such command.
  func check(_ revision: OtherRevision) async throws {
    do {
      _ = try await rows(of: .baseline)
    } catch let failure as CommandFailure {
      throw CommandFailure(
        .baseline,
        "--against \(revision.name): that revision cannot be compared: \(failure.message); name one "
          + "that has `gate --against`")
    }
  }

  /// Returns the values of each figure by arm and round, for the selected rounds, in the order of operations.
  func figures(of samples: [Sample]) -> [BuildComparison.Series] {
    let counting = Self.choice(of: samples).rounds(rounds)
    let figures = samples.flatMap(\.rows).filter { $0.class != HotOperation.controlClass }
      .map(\.figure).distinct { $0 }
    return figures.map { figure in
      let values = BuildComparison.Arm.allCases.map { arm in
        counting.map { round in
          samples.first { $0.arm == arm && $0.round == round }?.rows
            .first { $0.figure == figure }?.value?.asDouble
        }
      }
      return BuildComparison.Series(figure, values)
    }
  }

  /// Returns every value with its series, round and arm.
  static func csv(of series: [[Sample]]) throws -> [UInt8] {
    var rows: [ResultRow] = []
    var cells: [[String]] = []
    for (index, samples) in series.enumerated() {
      for sample in samples {
        rows += sample.rows
        cells += sample.rows.map { _ in ["\(index + 1)", "\(sample.round + 1)", "\(sample.arm)"] }
      }
    }
    return try TidyTable.csv(
      rows, added: AddedColumns(names: ["series", "round", "arm"], cells: cells))
  }
}
