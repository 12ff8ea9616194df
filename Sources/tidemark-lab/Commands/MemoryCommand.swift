import Analysis
import ArgumentParser
import CommandLineInterface
import Processes
import RealTime
import Reporting
import ResultModel

struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract:
      "Measure memory of eviction orders and observers; check predictions.",
    discussion: """
      Counts with jemalloc in a process of its own. For named scenarios or recordings: the memory of each \
      policy's cache, its prediction, and the memory of typed values, per entity and in all. Without names, \
      in some minutes: every eviction order, an observer, the other cache designs, and the predictions for \
      all of Scenarios/; --orders, --designs and --predict select among these. Exits with 1 if a prediction \
      is off by more than a tenth.
      """)

  @Argument(
    help: ArgumentHelp(
      "Name scenarios in Scenarios/, scenario files, or the recordings of one app, of which the first is counted; "
        + "default: all of Scenarios/.",
      valueName: "SCENARIO"))
  var scenarios: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take cache, policies and network of recordings from this scenario file.", valueName: "FILE"))
  var scenario: String?

  @Flag(help: "Measure the memory of each eviction order per entity, and of an observer.")
  var orders = false

  @Flag(help: "Compare predictions with the memory of the scenarios' caches.")
  var predict = false

  @Flag(
    help:
      "Compare predictions with the memory of the other designs, filled with 200 to 20,000 entries."
  )
  var designs = false

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try OutputFile.check(result.output)
    let progress = ProgressLine("memory")
    var rows: [ResultRow] = []
    var ofTypedValues: [ResultRow] = []
    for task in try tasks() {
      progress.report(task.joined(separator: " "))
      do {
        let counted = try await TerminationSignals.cancelling {
          try await MemoryRun(deadline: .seconds(1_800)).rows(task, seed: 1)
        }
        if task[0] == Self.typed { ofTypedValues += counted } else { rows += counted }
      } catch {
        throw CommandFailure(.data, "memory is not measured: \(error)")
      }
    }
    progress.end()
    let judgements = TargetJudge(rows: rows).judge(MachineTargets.predictions(in: rows))
    try result.write(rows + ofTypedValues.filter { !Self.predicted.contains($0.metric) }) {
      MeasureReport.text(rows, judgements: judgements, style: Console.style)
        + (MemoryTable.section(ofTypedValues, style: Console.style).map { "\n" + $0 } ?? "")
    }
    let missed = judgements.filter { $0.outcome == .missed }
    guard missed.isEmpty else {
      throw CommandFailure(
        .failed,
        missed.map {
          "memory: \($0.target.scenario), \($0.policy): the prediction is further than a tenth from "
            + "what the cache takes"
        }.joined(separator: "\n"))
    }
  }

  /// The task that measures typed values.
  private static let typed = "policies"
  /// The metrics that the prediction also has, with values as large as their JSON.
  private static let predicted: Set<Metric> = [.predictedBytes, .cacheTotalBytes]

  /// Returns the tasks of the memory process, in order.
  private func tasks() throws -> [[String]] {
    let all = !orders && !predict && !designs
    guard scenarios.isEmpty || predict || all else {
      throw CommandFailure(.input, "a scenario goes with --predict; add that, or omit it")
    }
    let areNamed = !scenarios.isEmpty
    var tasks: [[String]] = []
    if orders || (all && !areNamed) { tasks += [["orders", "10000"], ["observers"]] }
    if designs || (all && !areNamed) { tasks.append(["designs"]) }
    if predict || all {
      for (input, words) in try inputs() {
        tasks.append(["predict"] + words)
        guard areNamed else { continue }
        let names = PlayedInput.measured(among: try input.file.contenders([])).map(\.name)
        if !names.isEmpty { tasks.append([Self.typed, names.joined(separator: ",")] + words) }
      }
    }
    return tasks
  }

  /// Returns the inputs, each with its arguments: recordings are one input.
  private func inputs() throws -> [(PlayedInput, words: [String])] {
    guard !scenarios.contains(InputFile.standardInput) else {
      throw CommandFailure(
        .input,
        "memory is counted in another process, which cannot read standard input; name a file")
    }
    let recordings = scenarios.filter(InputFile.isRecording)
    let drawn = scenarios.filter { !InputFile.isRecording($0) }
    guard scenario == nil || !recordings.isEmpty else {
      throw CommandFailure(
        .input,
        "--scenario requires a recording; name a .jsonl file, or omit it")
    }
    var inputs = try (recordings.isEmpty || !drawn.isEmpty ? ScenarioFile.load(drawn) : [])
      .map { (PlayedInput($0), words: [$0.path]) }
    inputs += try PlayedInput.apps(recordings, lender: scenario)
      .map { ($0.input, words: $0.files + (scenario.map { ["--scenario", $0] } ?? [])) }
    try ScenarioFile.checkNames(inputs.map { ($0.words[0], $0.0.name) })
    return inputs
  }
}
