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
      Counted by jemalloc in a process of its own. Without options: every eviction order, an observer, \
      the other cache designs, and the predictions for the scenarios. Some minutes; --orders, --designs \
      and --predict select. A prediction that is more than a tenth from what the cache takes makes the \
      exit code 1. What a cache takes for an entity: `tidemark measure`.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scenarios whose prediction is checked: names in Scenarios/, or paths; default: all.",
      valueName: "SCENARIO"))
  var scenarios: [String] = []

  @Flag(help: "What each eviction order takes for an entity, and what an observer takes.")
  var orders = false

  @Flag(help: "Predictions against what the caches of the scenarios take.")
  var predict = false

  @Flag(
    help:
      "Predictions against what the other cache designs take, filled with 200 to 20,000 entries.")
  var designs = false

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try OutputFile.check(result.output)
    let progress = ProgressLine("memory")
    var rows: [ResultRow] = []
    for task in try tasks() {
      progress.report(task.joined(separator: " "))
      do {
        rows += try await TerminationSignals.cancelling {
          try await MemoryRun(deadline: .seconds(1_800)).rows(task, seed: 1)
        }
      } catch {
        throw CommandFailure(.data, "memory is not measured: \(error)")
      }
    }
    progress.end()
    let judgements = TargetJudge(rows: rows).judge(MachineTargets.predictions(in: rows))
    try result.write(rows) {
      MeasureReport.text(rows, judgements: judgements, style: Console.style)
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

  /// What the memory process is asked, in turn.
  private func tasks() throws -> [[String]] {
    let all = !orders && !predict && !designs
    guard scenarios.isEmpty || predict || all else {
      throw CommandFailure(.input, "a scenario goes with --predict; add that, or omit it")
    }
    var tasks: [[String]] = []
    if orders || all { tasks += [["orders", "10000"], ["observers"]] }
    if designs || all { tasks.append(["designs"]) }
    if predict || all {
      tasks += try ScenarioFile.load(scenarios).map { ["predict", $0.path] }
    }
    return tasks
  }
}
