import Analysis
import ArgumentParser
import CommandLineInterface
import Foundation
import Reporting
import ResultModel
import Workloads

struct GateCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions = CacheOptions.repeatable.union(["--also", "--skip"])

  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Fail if results or targets got worse.",
    discussion: """
      Simulates the scenarios of the baseline again, or reads the folder of --candidate, and compares a \
      digest of every exact figure of each run. If the first \(ExactPart.firstLook) seeds of a scenario have the \
      baseline's digests, its other seeds are not run. A main figure (those of the tables) is worse if its mean \
      difference, paired by seed, is significant (Student's 95 % interval, not corrected for the number of \
      figures) and at least 0.05 percentage points of a ratio, or 0.5 % of another figure. Exits with 0 if \
      nothing got worse, 1 if something did, 3 if no baseline matches, and 4 if data are missing or inconclusive. Documentation/ContinuousIntegration.md has all rules.

      EXAMPLES
        tidemark gate
        tidemark gate my-app.yaml --also junit=gate.xml
        tidemark gate --against main --skip times
      """)

  @Argument(
    help: ArgumentHelp(
      "Name scenarios in Scenarios/, scenario files, or recordings; default: all of Scenarios/.",
      valueName: "SCENARIO"),
    completion: Completions.inputs)
  var scenarios: [String] = []

  @OptionGroup var caches: CacheOptions

  @OptionGroup var recordings: RecordingOptions

  @Option(help: ArgumentHelp("Compare with the baseline in this folder.", valueName: "DIR"))
  var baseline = usualBaseline

  /// The folder that `bench --baseline` writes.
  static let usualBaseline = "Reports/baseline"

  @Option(
    help: ArgumentHelp(
      "Judge the folder that `bench --baseline` or `bench --per-seed` wrote; default: simulate now.",
      valueName: "DIR"))
  var candidate: String?

  @Option(help: ArgumentHelp("Write the verdict as JSON to this file.", valueName: "FILE"))
  var verdict = "Reports/verdict.json"

  @Flag(help: "Fail on any change, even improvements or noise.")
  var strict = false

  @Flag(
    help: "Run every seed, even if the first \(ExactPart.firstLook) match.")
  var everySeed = false

  @Option(help: "Write in this format; github: annotations, then the text.")
  var format = GateFormat.text

  @Option(
    help: ArgumentHelp(
      "Write the verdict in another format too. Repeatable.", valueName: "FORMAT=FILE"))
  var also: [GateOutput] = []

  @Option(
    help: ArgumentHelp(
      "Build this revision of Tidemark, compare counts and times, and list what differs.",
      valueName: "REF"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Skip exact, memory, instructions or times. Repeatable.", valueName: "PART"))
  var skip: [GatePart] = []

  @Flag(
    help: "Count bytes, allocations and instructions even if scenarios are named.")
  var counts = false

  @Option(
    help: "Run each build this many times (with --against), at least \(GateCommand.fewestRounds).")
  var rounds = 14

  @Option(
    help: ArgumentHelp("Write every sample of --against as CSV.", valueName: "FILE"))
  var samples: String?

  /// With fewer rounds no test could be significant for six figures.
  private static let fewestRounds = 8

  func run() async throws {
    guard (Self.fewestRounds...SignedRank.mostPairs).contains(rounds) else {
      throw CommandFailure(
        .input, "--rounds is \(rounds); give \(Self.fewestRounds) to \(SignedRank.mostPairs)")
    }
    if against != nil, candidate != nil {
      throw CommandFailure(
        .input, "--candidate is a stored report, and --against runs this build; give one of them")
    }
    if samples != nil, against == nil {
      throw CommandFailure(.input, "--samples: there are none without --against REF")
    }
    let inputs = try caches.inputs(
      SimulationInput.load(
        scenarios, seed: nil, lender: recordings.lender.scenario,
        user: recordings.user, command: Self.configuration.commandName))
    // For all scenarios this includes those that only the baseline has.
    let names = scenarios.isEmpty ? nil : Set(inputs.map(\.name))
    let outputs = also + [GateOutput(format: .json, path: verdict)]
    let folders = [baseline, candidate].compactMap(\.self)
    let sources =
      inputs.flatMap(\.paths)
      + folders.flatMap { folder in StoredReport.fileNames.map { "\(folder)/\($0)" } }
    for path in outputs.map(\.path) + [samples].compactMap(\.self) {
      try OutputFile.checkApart([path], reading: sources)
    }
    // The verdict of an earlier run must not be mistaken for this one's.
    for output in outputs { FileWriter.removeFile(output.path) }
    let renewal = BaselineRenewal(
      folder: baseline, scenarios: scenarios, options: caches.arguments + recordings.arguments)
    let committed = skip.contains(.exact) ? nil : try committedBaseline(outputs, renewal)
    for output in outputs {
      try OutputFile.makeFolder(of: output.path)
      try OutputFile.check(output.path)
    }
    if let samples { try OutputFile.check(samples) }
    let progress = ProgressLine("gate")
    var verdict = Verdict(incompatibilities: [])
    if let committed {
      let part = ExactPart(
        inputs: inputs, committed: committed.restricted(to: names), isStrict: strict,
        against: against, caches: caches.arguments,
        recordings: recordings.arguments(of: scenarios))
      if let candidate {
        verdict = try part.verdict(
          on: try StoredReport.load(
            candidate, failing: .data,
            remedy: "make one with `tidemark bench --baseline`, or with `tidemark bench --per-seed`"
          ).restricted(to: names))
      } else {
        verdict = try await part.verdict(runsEverySeed: everySeed, progress)
      }
    } else {
      verdict.untested = ["exact figures: left out"]
    }
    // A gate of named scenarios skips checks that do not depend on scenarios.
    let areCountsAsked = scenarios.isEmpty || counts || against != nil
    var measured = MeasuredParts(
      without: Set(areCountsAsked ? skip : skip + [.memory, .instructions]), baseline: baseline,
      rounds: rounds, samples: samples, progress: progress)
    if candidate == nil {
      try await measured.run(against: against)
    } else {
      measured.untested = ["counts and times: a stored report was judged"]
    }
    verdict.nameUnits()
    verdict.renewal = renewal.command(
      beside: committed?.scenarios.map(\.scenario) ?? [], of: inputs.map(\.name))
    verdict.measured = measured.findings
    verdict.untested += measured.untested
    progress.end()
    for output in outputs {
      try OutputFile.write(output.format.bytes(verdict, style: .plain), to: output.path)
    }
    try Console.write(format.bytes(verdict, style: Console.style))
    if let status = ExitStatus(rawValue: verdict.outcome.exitCode) { throw CommandFailure(status) }
  }

  /// Returns the baseline; if it is unreadable, the verdict says so too, if it can be written: the missing
  /// baseline is the more serious fault, and without `Reports/` both are missing.
  private func committedBaseline(
    _ outputs: [GateOutput], _ renewal: BaselineRenewal
  ) throws -> ResultSet {
    do throws(CommandFailure) {
      let stored = try StoredReport.load(
        baseline, failing: .baseline, remedy: "make one with `\(renewal.command())`")
      // Their fault is found before the simulations too.
      if against == nil, candidate == nil { _ = try StoredCounts.load(baseline) }
      return stored
    } catch {
      var verdict = Verdict(incompatibilities: [.unreadable(error.message)])
      verdict.renewal = renewal.command()
      for output in outputs {
        try? OutputFile.write(output.format.bytes(verdict, style: .plain), to: output.path)
      }
      throw error
    }
  }
}

extension ResultSet {
  /// Returns the part about some scenarios; `nil`: all.
  func restricted(to names: Set<String>?) -> ResultSet {
    guard let names else { return self }
    var part = ResultSet(
      schemaVersion: schemaVersion, scenarios: scenarios.filter { names.contains($0.scenario) },
      rows: rows.filter { names.contains($0.scenario) },
      digests: digests.filter { names.contains($0.scenario) })
    part.rowsOfOthers = rows.count - part.rows.count
    return part
  }
}

extension Verdict {
  /// Formats changed fields of scenarios with units.
  fileprivate mutating func nameUnits() {
    contenderChanges = contenderChanges.map(\.withUnits)
    incompatibilities = incompatibilities.map { incompatibility in
      guard case .workloadChanged(let change) = incompatibility else { return incompatibility }
      return .workloadChanged(change.withUnits)
    }
  }
}

extension ScenarioChange {
  fileprivate var withUnits: ScenarioChange {
    ScenarioChange(
      scenario: scenario,
      fields: fields.map { field in
        FieldChange(
          path: field.path,
          baseline: field.baseline.map { ScenarioContent.words(for: $0, at: field.path) },
          candidate: field.candidate.map { ScenarioContent.words(for: $0, at: field.path) })
      })
  }
}

enum GateFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, junit, markdown, github

  func bytes(_ verdict: Verdict, style: TextStyle) throws -> [UInt8] {
    switch self {
    case .text: Array(style.legible(GateReport.text(verdict, style: style)).utf8)
    case .json: try VerdictJSON.document(verdict)
    case .junit: Array(GateJUnit.document(verdict).utf8)
    case .markdown: Array(GateMarkdown.text(verdict).utf8)
    case .github:
      Array((GateAnnotations.text(verdict) + GateReport.text(verdict, style: .plain)).utf8)
    }
  }
}

/// An additional verdict file, as in `junit=gate.xml`.
struct GateOutput: ExpressibleByArgument {
  var format: GateFormat
  var path: String

  init(format: GateFormat, path: String) {
    self.format = format
    self.path = path
  }

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty, let format = GateFormat(rawValue: parts[0]) else {
      return nil
    }
    self.init(format: format, path: parts[1])
  }

  static var allValueStrings: [String] { GateFormat.allCases.map { "\($0)=FILE" } }
}

/// A part of what `gate` compares, each with its own test.
enum GatePart: String, ExpressibleByArgument, CaseIterable {
  /// The results of simulations.
  case exact
  /// Bytes and allocations.
  case memory
  /// Instructions, counted by callgrind.
  case instructions
  /// Times of two alternating builds.
  case times
}
