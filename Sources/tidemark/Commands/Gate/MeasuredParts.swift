import Analysis
import CommandLineInterface
import Foundation
import Processes
import ResultModel

/// The counted and timed parts of a gate, with their findings.
struct MeasuredParts {
  var without: Set<GatePart>
  /// The folder of the baseline.
  var baseline: String
  var rounds: Int
  /// The file for all samples; `nil`: none.
  var samples: String?
  var progress: ProgressLine

  private(set) var findings: [MeasuredFinding] = []
  var untested: [String] = []

  /// Compares with another revision, or otherwise counts with the baseline's.
  mutating func run(against name: String?) async throws {
    try await measure(against: name)
    if findings.contains(where: { $0.figure.isOfInstructions && $0.outcome == .error }) {
      untested.append(
        "instructions: valgrind is not there; install it, or leave them out with "
          + "--skip instructions")
    }
  }

  private mutating func measure(against name: String?) async throws {
    guard let name else {
      try await compareWithBaseline()
      if OtherRevision.isPossible {
        untested.append("times: compared with another build only, --against REF")
      }
      return
    }
    let parts = (without, rounds, samples, progress)
    (findings, untested) = try await TerminationSignals.cancelling {
      var measured = MeasuredParts(
        without: parts.0, baseline: "", rounds: parts.1, samples: parts.2, progress: parts.3)
      try await measured.compare(with: try await OtherRevision.build(name, .lab, progress: parts.3))
      return (measured.findings, measured.untested)
    }
  }

  // MARK: With another revision

  private mutating func compare(with revision: OtherRevision) async throws {
    let series = BuildSeries(
      baseline: revision.lab, candidate: Companion.lab.executable, rounds: rounds)
    try await series.check(revision)
    let other = try await counts(of: revision.memory)
    let own = try await counts(of: MemoryRun.ownExecutable)
    findings += CountComparison.findings(baseline: other, candidate: own)
    guard !without.contains(.times) else {
      untested.append("times: left out")
      return
    }
    let first = try await series.samples(
      BuildComparison.Arm.allCases, progress: progress.of("times"))
    let figures = series.figures(of: first)
    let comparison = BuildComparison(rules: series.rules)
    var taken = [first]
    if comparison.wantsConfirmation(figures) {
      taken.append(
        try await series.samples([.candidate, .baseline], progress: progress.of("confirmation")))
    }
    for samples in taken {
      let choice = BuildSeries.choice(of: samples)
      let disturbed = choice.excess.count - choice.undisturbed
      guard disturbed > 0 else { continue }
      progress.end()
      Console.note(
        "gate: in \(disturbed) of \(choice.excess.count) rounds another process took the core; "
          + "\(rounds) count")
    }
    if let samples { try OutputFile.write(try BuildSeries.csv(of: taken), to: samples) }
    findings += comparison.judge(
      figures, confirmation: taken.count > 1 ? series.figures(of: taken[1]) : nil)
  }

  // MARK: With the baseline

  private mutating func compareWithBaseline() async throws {
    guard let stored = try StoredCounts.load(baseline) else {
      if OtherRevision.isPossible {
        untested.append("counts: the baseline has none; compare them with --against REF")
      }
      return
    }
    let wanted = stored.rows.filter { !without.contains(GatePart(of: $0.metric)) }
    guard !wanted.isEmpty else {
      untested.append("counts: left out")
      return
    }
    let differences = await CountConditions.current().differences(from: stored.conditions)
    guard differences.isEmpty else {
      untested.append(
        "\(wanted.count) counts: \(differences.joined(separator: "; ")); compare them with --against REF"
      )
      return
    }
    let own = try await counts(of: MemoryRun.ownExecutable)
    findings += CountComparison.findings(baseline: wanted, candidate: own)
    let known = Set(wanted.map(\.figure))
    let others = own.count { !known.contains($0.figure) }
    if others > 0 {
      untested.append("\(others) counts: the baseline lacks them; renew it with --counts")
    }
  }

  // MARK: Counting

  private func counts(of executable: URL) async throws -> [ResultRow] {
    try await Self.counts(of: executable, without: without, progress: progress)
  }

  /// Returns a build's counts; without valgrind, rows of instructions without a value.
  ///
  /// A signal ends the counting processes too.
  static func counts(
    of executable: URL = MemoryRun.ownExecutable, without: Set<GatePart> = [],
    progress: ProgressLine
  ) async throws -> [ResultRow] {
    try await TerminationSignals.cancelling {
      try await count(executable, without: without, progress: progress)
    }
  }

  private static func count(
    _ executable: URL, without: Set<GatePart>, progress: ProgressLine
  ) async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    do {
      if !without.contains(.memory) {
        progress.report("counting bytes and allocations")
        let memory = MemoryRun(executable: executable)
        rows += try await memory.rows(seed: 1) + memory.rows(["operations"], seed: 1)
      }
    } catch {
      throw CommandFailure(.data, "\(error); leave it out with --skip memory")
    }
    if !without.contains(.instructions) {
      rows +=
        await OperationCounts.isPossible()
        ? try await OperationCounts(executable: executable).rows(progress: progress)
        : OperationCounts.unmeasured
    }
    return rows
  }
}

extension GatePart {
  /// The part of a count.
  init(of metric: Metric) {
    let isOfInstructions = HotOperation.allCases.contains { $0.instructions == metric }
    self = isOfInstructions ? .instructions : .memory
  }
}

extension FigureIdentity {
  fileprivate var isOfInstructions: Bool { GatePart(of: metric) == .instructions }
}
