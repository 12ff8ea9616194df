import ArgumentParser
import CommandLineInterface
import Foundation

struct SweepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Split a search among machines, and merge it.",
    discussion: """
      Splits exact simulations, which have the same results on every machine. The merged result equals \
      that of `tune` on one machine, byte for byte. A shard's file is written whole or not at all; merge \
      refuses a sweep with missing or duplicate runs, and names them.

      Under Slurm (SLURM_ARRAY_TASK_ID, from 1), Kubernetes (JOB_COMPLETION_INDEX, from 0) and GNU \
      parallel (PARALLEL_SEQ) a task finds its number itself; --shards says how many there are.

      EXAMPLES
        tidemark sweep plan file-browser --policies lru \\
          --vary capacity-entities=1000..20000 --seeds 20 --output plan.json
        sbatch --array=1-8 --wrap 'tidemark sweep run plan.json --shards 8 --output shards'
        tidemark sweep merge plan.json shards --format csv --output results.csv
      """,
    subcommands: [SweepPlanCommand.self, SweepRunCommand.self, SweepMergeCommand.self])
}

struct SweepPlanCommand: ParsableCommand, HasRepeatableOptions {
  static let repeatableOptions: Set = ["--vary"]

  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Write the plan of runs for all shards to a file.")

  @OptionGroup var study: StudyOptions

  @Option(
    help: ArgumentHelp(
      "Weigh these metrics in the merged result, as in `tune`.", valueName: "METRIC[:STATISTIC],…")
  )
  var objective: String?

  @Option(help: ArgumentHelp("Write to this file, or - for standard output.", valueName: "FILE"))
  var output = "-"

  func run() throws {
    try OutputFile.check(output)
    let plan = try SweepPlan(study, objective: objective, command: "sweep plan")
    try OutputFile.checkApart([output], reading: plan.task.inputs.flatMap(\.paths))
    try OutputFile.write(try plan.bytes(), to: output)
    let count = plan.cells.count
    Console.note("\(count == 1 ? "1 run" : "\(count) runs"): at most as many shards")
  }
}

struct SweepRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a shard of a plan, and write its file.")

  @Argument(help: ArgumentHelp("Read this file of `sweep plan`.", valueName: "PLAN"))
  var plan: String

  @Option(help: ArgumentHelp("Run shard I, counted from 1, of N.", valueName: "I/N"))
  var shard: String?

  @Option(help: "Number of shards, if the engine numbers the task.")
  var shards: Int?

  @Option(help: ArgumentHelp("Use this folder of the shards.", valueName: "DIR"))
  var output = "shards"

  func run() async throws {
    let shard = try chosenShard()
    let plan = try SweepPlan(path: self.plan)
    do {
      try FileManager.default.createDirectory(
        atPath: output, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .output,
        "\(output): cannot be made: \(SystemReason.text(of: error)); choose another folder")
    }
    let path = "\(output)/\(shard.fileName)"
    try OutputFile.check(path, reading: [self.plan])
    let all = plan.cells
    let cells = Array(all[shard.range(of: all.count)])
    let progress = ProgressLine("shard \(shard.number) of \(shard.count)")
    let runner = plan.runner(progress)
    let records = try await runner.run(cells)
    progress.end()
    let prints = plan.task.inputs.map(\.fingerprint)
    let file = ShardFile(
      name: shard.fileName, plan: try plan.digest(), shard: shard,
      entries: zip(cells, records).map { cell, record in
        StudyJournal.Entry(
          key: cell.key(workload: prints[cell.input]), subject: runner.subject(of: cell),
          record: record)
      })
    try OutputFile.write(try file.bytes(), to: path)
  }

  private func chosenShard() throws(CommandFailure) -> SweepShard {
    switch (shard, shards) {
    case (let text?, nil): return try SweepShard(text)
    case (nil, let count?):
      return try SweepShard(of: count, in: ProcessInfo.processInfo.environment)
    case (nil, nil):
      throw CommandFailure(
        .input,
        "no shard is given; add --shard I/N, or --shards N in a job of an engine")
    case (_?, _?):
      throw CommandFailure(.input, "--shard I/N already gives the number of shards; omit --shards")
    }
  }
}

struct SweepMergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge shards into what tune would write; refuse gaps and duplicates.")

  @Argument(help: ArgumentHelp("Read this file of `sweep plan`.", valueName: "PLAN"))
  var plan: String

  @Argument(help: ArgumentHelp("Use this folder of the shards.", valueName: "DIR"))
  var folder = "shards"

  @OptionGroup var result: ResultOutput

  func run() async throws {
    try OutputFile.check(result.output, reading: [self.plan] + SweepMerge.paths(in: folder))
    let plan = try SweepPlan(path: self.plan)
    let merged = try SweepMerge(plan, folder: folder)
    var runner = plan.runner(ProgressLine("sweep"))
    runner.known = merged.records
    let search = TuningSearch(
      study: plan.task, rule: try TuningRule.rule(plan.objective, for: plan.task.inputs[0]),
      isRace: false, runner: runner)
    let found = try await search.run()
    let table = TuningTable(
      try TuningRule.objectives(plan.objective, of: plan.task.inputs), found,
      fields: plan.task.parameters.map(\.name))
    try result.write(table.plainRows, added: table.columns) { table.text(style: Console.style) }
  }
}
