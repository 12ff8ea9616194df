import Analysis
import ArgumentParser
import CommandLineInterface
import Foundation
import RealTime
import Reporting
import Workloads

struct AlternativesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alternatives",
    abstract: "Compare the cache with alternatives to it under the same events.",
    discussion: """
      Runs each in a process of its own, in turns, for several rounds; \(Alternatives.all[0].name) always runs. \
      An alternative with wrong listings, or that does not call its observers, ends the run without \
      figures. All workloads take about ten minutes; --workloads \(AlternativeWorkload.all[0].name) takes two.

      ALTERNATIVES
      \(AlternativesCommand.list(Alternatives.all.map { ($0.name, $0.summary) }))

      WORKLOADS
      \(AlternativesCommand.list(AlternativeWorkload.all.map { ($0.name, $0.text) }))
      """)

  @Argument(help: ArgumentHelp("Run these alternatives. Default: all.", valueName: "ALTERNATIVE"))
  var alternatives: [String] = []

  @Option(
    help: ArgumentHelp("Run these workloads, separated by commas. Default: all.", valueName: "a,b"))
  var workloads: String?

  @Option(
    help: ArgumentHelp(
      "Run each alternative for this many rounds; an interval needs at least 6. Default: 7.",
      valueName: "N"))
  var rounds: Int?

  @Option(
    help: ArgumentHelp(
      "Send this many events back to back in a round. Default: 1500, so that 7 rounds suffice for p99.9.",
      valueName: "N"))
  var events: Int?

  @Option(
    help: ArgumentHelp(
      "Send this many events per second in the open loop, and a third as many as back to back in all.",
      valueName: "N"))
  var rate = 1_000.0

  @Option(help: "Draw the data and the events from this seed.")
  var seed: UInt64 = 1

  @Flag(
    help: """
      Take seconds for one workload, two minutes for all; too few rounds for intervals, and too few \
      samples for tails.
      """)
  var quick = false

  @OptionGroup var result: ResultOutput

  func validate() throws {
    guard (1...100).contains(rounds ?? 1), (1...100_000).contains(events ?? 1) else {
      throw ValidationError("--rounds takes 1 to 100, --events 1 to 100000")
    }
    guard (1...100_000).contains(rate) else {
      throw ValidationError("--rate takes 1 to 100000 events per second")
    }
  }

  func run() async throws {
    var comparison = AlternativeComparison(
      alternatives: try chosen(
        alternatives, among: Alternatives.all, by: \.name, kind: "alternative"),
      workloads: try chosen(
        workloads.map { try NameList.names(in: $0, of: "--workloads", example: "single") } ?? [],
        among: AlternativeWorkload.all,
        by: \.name, kind: "workload"),
      seed: seed)
    comparison.rounds = rounds ?? (quick ? 2 : 7)
    comparison.events = events ?? (quick ? 200 : 1_500)
    comparison.rate = rate
    try OutputFile.check(result.output)
    let progress = ProgressLine("alternatives")
    let rows = try await TerminationSignals.cancelling { [comparison] in
      try await comparison.run(progress: progress)
    }
    progress.end()
    let judgements = TargetJudge(rows: rows).judge(comparison.targets)
    try result.write(rows) {
      AlternativeReport.text(rows, judgements: judgements, style: Console.style)
    }
  }

  /// Returns the named items, in the order of the registry; all without names.
  private func chosen<Item>(
    _ names: [String], among all: [Item], by name: (Item) -> String, kind: String
  ) throws -> [Item] {
    let known = all.map(name)
    for unknown in names where !known.contains(unknown) {
      throw CommandFailure(
        .input,
        "no \(kind) is called \"\(unknown)\"; \(Suggestion.text(for: unknown, among: known))")
    }
    return names.isEmpty ? all : all.filter { names.contains(name($0)) }
  }

  private static func list(_ items: [(name: String, text: String)]) -> String {
    items.flatMap { item in
      ["  \(item.name)"] + Words.wrapped(item.text, indent: 4, width: 78)
    }.joined(separator: "\n")
  }
}

extension AlternativeWorkload {
  /// The description for people.
  fileprivate var text: String {
    "\(directories) listings of \(filesPerDirectory) files, \(observed) observed by "
      + "\(ObserverBoard.observersPerListing) each; an event changes \(filesPerEvent)"
  }
}

/// Runs one round of one alternative; an internal command of `alternatives`.
struct RunAlternativeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-alternative",
    abstract: "One round of an alternative; `measure alternatives` starts it.",
    shouldDisplay: false)

  @Argument var alternative: String
  @Option var workload: String
  @Option var round: Int
  @Option var events: Int
  @Option var rate: Double
  @Option var seed: UInt64

  func run() async throws {
    guard let alternative = Alternatives.named(alternative),
      let workload = AlternativeWorkload.named(workload)
    else {
      throw CommandFailure(.input, "no such alternative or workload: \(alternative), \(workload)")
    }
    let folder = TemporaryFolder(for: "alternative")
    folder.removeWhenInputEnds()
    defer { folder.remove() }
    try folder.make()
    var run = AlternativeRun(workload: workload, seed: seed)
    run.round = round
    run.hot = events
    run.paced = events / 3
    run.warmUp = events / 5
    run.rate = rate
    let samples = try await run.run { library in
      try await alternative.make(library, folder.url.path)
    }
    try Console.tell(samples.text)
  }
}

extension TemporaryFolder {
  /// Removes the folder, and ends the process, when the parent process ends.
  ///
  /// Standard input ends together with the parent, for any reason: then the measurement is of no use.
  fileprivate func removeWhenInputEnds() {
    // A Ctrl-C that reaches this process too: it exits when its input ends.
    signal(SIGINT, SIG_IGN)
    Thread.detachNewThread {
      while readLine() != nil {}
      leave()
    }
  }

  private func leave() -> Never {
    remove()
    // Without the C library's exit handlers, which would run while threads still measure.
    _exit(ExitStatus.fault.rawValue)
  }
}
