import ArgumentParser
import CacheChecking
import CacheProcesses
import CacheSimulation
import CommandLineInterface
import Foundation
import Reporting
import Text

struct ConformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conform",
    abstract: "Run conformance tests on an external cache.",
    discussion: """
      Each case sends a few turns of the protocol of Documentation/CacheProtocol.md to a new process, and \
      compares its answers with the right ones. A result is pass, non-strict (allowed, but worse than \
      possible), fail, or info (a figure).

      Exits with 0 if no case fails, 1 if one fails or the cache does not start, 2 if the command line is wrong.

      EXAMPLES
        tidemark conform --list
        tidemark conform --cache 'mine=python3 Adapters/lru.py'
        tidemark conform --cache 'mine=python3 Adapters/lru.py' --only gaps/3
        tidemark conform --cache 'mine=./cache' --output failed --junit conform.xml
        tidemark conform --cache 'mine=./cache' --cache-turn 1s
      """)

  @Option(
    help: ArgumentHelp(
      "Name the cache for the report, and give the shell command that runs it.",
      valueName: "NAME=COMMAND"))
  var cache: String?

  @OptionGroup var limits: CacheLimitOptions

  @Option(
    help: ArgumentHelp(
      "Run only this case, such as gaps/3, or group of cases, such as gaps.", valueName: "CASE"))
  var only: String?

  @Flag(help: "List the cases, and run none.")
  var list = false

  @Option(help: ArgumentHelp("Also write the results as JUnit XML.", valueName: "FILE"))
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Write the turns of failing cases to this folder; made if it is missing.", valueName: "DIR"))
  var output: String?

  func run() throws {
    let cases = Conformance.cases(only)
    guard !cases.isEmpty else {
      throw CommandFailure(
        .input, "--only \(only ?? ""): no such case; `tidemark conform --list` lists them")
    }
    guard !list else {
      try Console.write(
        ConformanceReport.list(cases.map { ($0.address, $0.title) }, style: Console.style))
      return
    }
    let command = try command()
    let limits = try limits.limits()
    if let junit { try OutputFile.check(junit) }
    let folder = try output.map(TranscriptFolder.init)
    let runner = CaseRunner(command: command, limits: limits)
    let results = run(cases, runner)
    let report = ConformanceReport(cache: command.name, cases: results.map { $0.reported() })
    if let junit { try OutputFile.write(Array(report.junit().utf8), to: junit) }
    // The command itself is invalid, not the cache.
    if let fault = results.last?.fault, fault.kind == .notStarted, results.count == 1 {
      throw CommandFailure(.failed, "\(command.name): \(fault); no case was run".legible)
    }
    try Console.write(report.text(style: Console.style))
    let failed = results.filter { $0.verdict == .fail }
    try folder.map { try write(failed, runner, to: $0) } ?? show(failed.first, runner)
    try Console.write("\n\(report.summary(style: Console.style))")
    guard results.count == cases.count else {
      throw CommandFailure(
        .failed,
        "\(command.name): it did not start; not run: \(cases.count - 1) of \(cases.count) cases")
    }
    guard failed.isEmpty else { throw CommandFailure(.failed) }
  }

  private func command() throws(CommandFailure) -> CacheCommand {
    guard let text = cache else {
      throw CommandFailure(.input, "give --cache NAME=COMMAND, or --list")
    }
    return try CacheCommand(option: text)
  }

  private func run(_ cases: [ConformanceCase], _ runner: CaseRunner) -> [ConformanceResult] {
    let progress = ProgressLine("conform")
    defer { progress.end() }
    var results: [ConformanceResult] = []
    for test in cases {
      progress.report("\(results.count) of \(cases.count) cases, now \(test.address)")
      let result = runner.run(test)
      results.append(result)
      // A command that cannot be started is not started again for each case.
      if results.count == 1, result.fault != nil, result.turns.isEmpty { break }
    }
    return results
  }

  private func write(
    _ failed: [ConformanceResult], _ runner: CaseRunner, to folder: TranscriptFolder
  ) throws {
    for result in failed.map(runner.shortened) where !result.turns.isEmpty {
      let name = result.test.address.split(separator: "/").joined(separator: "-")
      let file = try folder.write(runner.transcript(of: result), to: "\(name).jsonl")
      let answers = try folder.write(Array(result.answers.utf8), to: "\(name).txt")
      try Console.write(
        "input of \(result.test.address): COMMAND < \(file); expected and received: \(answers)\n"
      )
    }
  }

  /// Prints the input of a failing case, if it is short enough to read.
  private func show(_ failed: ConformanceResult?, _ runner: CaseRunner) throws {
    guard let failed = failed.map(runner.shortened), !failed.turns.isEmpty else { return }
    let bytes = runner.transcript(of: failed)
    guard bytes.count <= Self.shownBytes else {
      try Console.write("\nthe input of failing cases is written with --output DIR\n")
      return
    }
    try Console.write(
      "\ninput of \(failed.test.address), to run as COMMAND < turns.jsonl:\n")
    try Console.write(bytes)
    try Console.write("\n\(failed.answers)")
  }

  private static let shownBytes = 6_000
}

private struct CaseRunner {
  let command: CacheCommand
  let limits: CacheLimits
  private let conformance = Conformance()
  private let prepared = PreparedWorkload(ConformanceWorld.workload)

  func run(_ test: ConformanceCase) -> ConformanceResult { conformance.run(test, start) }

  /// Returns a failing case with fewer steps.
  func shortened(_ result: ConformanceResult) -> ConformanceResult {
    let progress = ProgressLine("conform")
    defer { progress.end() }
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    func isTimeLeft() -> Bool {
      progress.report("shrinking \(result.test.address)")
      return ContinuousClock.now < deadline
    }
    return conformance.shrunk(result, trials: 60, while: isTimeLeft, start)
  }

  func transcript(of result: ConformanceResult) -> [UInt8] {
    prepared.transcript(result.launch, result.turns, isEnded: true)
  }

  private func start(_ launch: CacheLaunch) throws(CacheFault) -> any CacheUnderTest {
    try ProcessCache(command, for: prepared, launch, limits: limits)
  }
}

extension ConformanceResult {
  /// The expected answers and the actual ones.
  fileprivate var answers: String {
    findings.filter { $0.verdict == .fail }.flatMap(\.lines).map { $0 + "\n" }.joined()
  }

  fileprivate func reported() -> ConformanceReport.Case {
    var lines = findings.map { $0.lines.map(\.legible) }
    if verdict == .fail || verdict == .nonStrict, !turns.isEmpty {
      lines.insert(["told: \(told)"], at: 0)
    }
    return ConformanceReport.Case(
      group: String(test.address.prefix { $0 != "/" }), address: test.address, title: test.title,
      verdict: verdict.reported, findings: lines,
      obstacle: lacks.map { "hello names no `\($0.rawValue)`" })
  }
}

extension ConformanceResult.Verdict {
  fileprivate var reported: ConformanceReport.Verdict {
    switch self {
    case .pass: .pass
    case .nonStrict: .nonStrict
    case .fail: .fail
    case .info: .info
    }
  }
}
