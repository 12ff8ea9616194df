import Analysis
import ArgumentParser
import Measurement
import Reporting
import ResultModel

struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract:
      "Count what a cache takes in memory, part by part, and check what `simulate` predicts.",
    discussion: """
      Counted by jemalloc in a process of its own. Without options: the parts of an entity at 10,000, \
      100,000 and 1,000,000 entities, every eviction order, an observer, the other cache designs, and the predictions for \
      the scenarios. Some minutes; --parts, --designs and --predict select. A prediction that is more than a tenth from \
      what the cache takes makes the exit code 1.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scenarios whose prediction is checked: names in Scenarios/, or paths; default: all.",
      valueName: "SCENARIO"))
  var scenarios: [String] = []

  @Flag(help: "The parts of an entity, eviction orders, observers.")
  var parts = false

  @Flag(help: "Predictions against what the caches of the scenarios take.")
  var predict = false

  @Flag(
    help:
      "Predictions against what the other cache designs take, filled with 200 to 20,000 entries.")
  var designs = false

  @Option(
    help: ArgumentHelp(
      "Entities of --parts, separated by commas; above 100,000 values share their texts. Default: "
        + "\(usualSizes).", valueName: "N,..."))
  var sizes: String?

  private static let usualSizes = "10000,100000,1000000"

  @OptionGroup var result: ResultOutput

  /// The largest population that is decoded: beyond it texts would take gigabytes.
  private static let largestDecoded = 100_000
  private static let largestPopulation = 10_000_000

  func run() async throws {
    try OutputFile.check(result.output)
    let progress = Progress("memory")
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
    let all = !parts && !predict && !designs
    for (isGiven, name, flag, isUsed) in [
      (sizes != nil, "--sizes", "--parts", parts || all),
      (!scenarios.isEmpty, "a scenario", "--predict", predict || all),
    ] where isGiven && !isUsed {
      throw CommandFailure(.input, "\(name) goes with \(flag); add that, or omit it")
    }
    var tasks: [[String]] = []
    if parts || all {
      for size in try populations() {
        tasks.append(["parts", "\(size)", size <= Self.largestDecoded ? "decoded" : "shared"])
      }
      tasks += [["orders", "10000"], ["observers"]]
    }
    if designs || all { tasks.append(["designs"]) }
    if predict || all {
      tasks += try ScenarioFile.load(scenarios).map { ["predict", $0.path] }
    }
    return tasks
  }

  private func populations() throws -> [Int] {
    let names = try NameList.names(
      in: sizes ?? Self.usualSizes, of: "--sizes", example: "10000,100000")
    return try names.map { text in
      guard let size = Int(text), (200...Self.largestPopulation).contains(size),
        size.isMultiple(of: 200)
      else {
        throw CommandFailure(
          .input,
          "--sizes: \"\(text)\" is no population; give multiples of 200 up to 10000000")
      }
      return size
    }
  }
}
