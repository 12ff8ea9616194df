import Analysis
import ArgumentParser
import CacheSimulation
import CommandLineInterface
import Foundation
import Processes
import Reporting
import ResultModel
import Text

struct BenchCommand: AsyncParsableCommand, HasRepeatableOptions {
  static let repeatableOptions = CacheOptions.repeatable

  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Compare policies on all scenarios; write a report.",
    discussion: """
      Writes index.html, the report to open; policies.csv, a line for each policy, for a spreadsheet; \
      report.txt; and the data of the report: results.csv (every exact figure over the seeds, the same on \
      every machine), memory-levels.csv, timeline.csv, latency.csv, memory.csv, verdicts.json and \
      manifest.json. For up to three inputs, reads.csv has every read of one seed under two policies. \
      Only `gate` fails on a target, if the baseline met it.
      """)

  @Argument(
    help: ArgumentHelp(
      "Name scenarios in Scenarios/, scenario files, or recordings; default: all of Scenarios/.",
      valueName: "SCENARIO"),
    completion: Completions.inputs)
  var scenarios: [String] = []

  @OptionGroup var contenders: ContenderOptions

  @OptionGroup var recordings: RecordingOptions

  @Option(help: "Start the random draws at this seed; default: each scenario's own.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Run this many seeds per scenario; auto, the default: until decided, within 140 s.",
      valueName: "N|auto"))
  var seeds: SeedCount?

  @Option(
    help: ArgumentHelp(
      "Replace the content of this folder by the report; default: Reports/latest, with --baseline "
        + "Reports/baseline.", valueName: "DIR"))
  var output: String?

  @Flag(help: "Simulate one seed by default, and skip the runs that change one setting of lru.")
  var quick = false

  @Flag(help: "Simulate only: write exact results, measure nothing in real time.")
  var exactOnly = false

  @Flag(
    help: """
      Also measure Tidemark's own cache on this machine, whatever the scenarios, against its own targets: updates, \
      storage, sockets, alternatives.
      """)
  var product = false

  @Flag(help: "Also print the runs and processor seconds of each scenario and part.")
  var timing = false

  @Flag(help: "Also write seeds.csv: every exact figure of each seed.")
  var perSeed = false

  @Flag(
    help: """
      Write a baseline for `gate`: simulate \(TargetJudge.seeds) seeds; keep main figures, and digests of all.
      """)
  var baseline = false

  @Option(help: .hidden)
  var measureAfter: String?

  @Flag(help: "Also count bytes, allocations and instructions of the cache (with --baseline).")
  var counts = false

  /// The simulation time after which no further look begins; undecided verdicts are reported as such.
  private static let simulationBudget = Duration.seconds(140)

  /// Of more inputs than these single reads are not kept: they take a megabyte each.
  private static let mostWithReads = 3

  /// In how many parts of time the first seed of a scenario is drawn.
  private static let timelineParts = 48

  private static let toolchainKeys: Set<String> = ["compiler", "build"]

  private var usualSeeds: SeedCount {
    baseline ? .fixed(TargetJudge.seeds) : quick ? .fixed(1) : .automatic
  }

  func run() async throws {
    let start = ContinuousClock.now
    let startedAt = Date()
    if counts, !baseline {
      throw CommandFailure(.input, "--counts requires --baseline")
    }
    if product, exactOnly || baseline {
      throw CommandFailure(
        .input,
        "--product measures in real time, and \(baseline ? "--baseline" : "--exact-only") does not; drop one"
      )
    }
    if perSeed, baseline {
      throw CommandFailure(
        .input, "--per-seed: a baseline has digests of its seeds; leave one of the two out")
    }
    if seed != nil, baseline {
      throw CommandFailure(
        .input,
        "--seed: `gate` runs each scenario's own seeds, so a baseline has those; leave --seed out, or write "
          + "`seed` in the scenario")
    }
    let inputs = try contenders.caches.inputs(
      SimulationInput.load(
        scenarios, seed: seed, lender: recordings.lender.scenario,
        user: recordings.user, command: Self.configuration.commandName))
    try SimulationInput.checkSeeds(seeds, of: inputs)
    let output =
      self.output ?? (baseline ? GateCommand.usualBaseline : "Reports/latest")
    let folder = try ReportFolder(output)
    let progress = ProgressLine("bench")
    // All names are checked before the first simulation.
    let fields = try inputs.map { ($0, try $0.file.contenders(contenders.names())) }
    // For one scenario the table gains a line once its robustness was checked.
    let showsEarly = inputs.count > 1
    let announced = BenchSummary.announced(among: inputs.map(\.name))
    let known =
      showsEarly && !baseline
      ? try await FirstLook.show(
        of: inputs, seed: seed, seeds: seeds ?? usualSeeds, timelineParts: Self.timelineParts,
        progress) : [:]
    let simulated = try await Verdicts.run(
      fields.map { input, contenders in
        var comparison = input.comparison(
          of: contenders, seed: seed, seeds: seeds ?? usualSeeds)
        // Further seeds depend on the time left, so they are not exact results.
        comparison.seedsWithRows = comparison.plan.common
        comparison.timelineParts = baseline ? nil : Self.timelineParts
        comparison.known = known[input.name] ?? [:]
        return comparison
      }, isRobustnessAsked: !exactOnly && !baseline, areLevelsAsked: !exactOnly && !baseline,
      areAxesAsked: !exactOnly && !baseline && !quick,
      isOutOfTime: { start.duration(to: .now) > Self.simulationBudget }, progress: progress
    ) { verdict, _ in
      guard showsEarly else {
        guard !exactOnly, !baseline else { return }
        return progress.announce("\(verdict.scenario): \(VerdictText.sentence(verdict))")
      }
      guard announced.contains(verdict.scenario) else { return }
      progress.end()
      // If it cannot be written, neither can the report, which is an error.
      try? Console.write(BenchSummary.line(of: verdict, style: Console.style))
    }
    if announced.count < inputs.count {
      try Console.write("+ \(inputs.count - announced.count) more scenarios, see the report\n")
    }
    let targetsOfScenarios = fields.flatMap { $0.file.targets(for: $1) }

    var latency: [ResultRow] = []
    var memory: [ResultRow] = []
    var measuredPolicies: [ResultRow] = []
    var targets = targetsOfScenarios
    var measurement: LabMeasurement?
    var measurementFailure: CommandFailure?
    let isMeasured = !exactOnly && !baseline
    if isMeasured {
      do {
        if let measureAfter { try await LabBuild(endFile: measureAfter).wait(progress: progress) }
        let plan = LabPlan(
          fields, asked: try contenders.policies.names(), lender: recordings.lender.scenario)
        progress.end()
        // Before the measurement, which takes longest, so that omissions are known early.
        for line in plan.omissions { Console.note(line) }
        measurement = try await LabMeasurement.run(
          plan, seed: seed ?? 1, isOfProduct: product, progress: progress)
      } catch let failure as CommandFailure {
        // Simulation results are kept.
        measurementFailure = failure
        Console.note(
          "not measured: latency and memory in real time; the report has what was simulated")
      }
    }
    if let measured = measurement {
      measuredPolicies = measured.rowsByPolicy
      // The simulator's figures of the measured seeds are superseded by those of more seeds.
      latency =
        measured.latency.filter { $0.metric != .hitRatio }
        + (product ? simulated.work.throughputRows(seed: seed ?? 1) : [])
      memory = measured.memory
      targets += measured.targets
    }
    var counted: [ResultRow] = []
    var conditions: [Manifest.Fact] = []
    if counts {
      counted = try await MeasuredParts.counts(progress: progress)
      conditions = await CountConditions.current().facts
    }
    progress.end()
    if timing { Console.note(simulated.parts.table(style: .plain)) }

    let exact = ResultsTable.rows(of: simulated.means)
    // Predictions are shown only with the counted caches, which are another population.
    let measuredRows =
      latency + memory.filter { $0.metric != .predictedBytes || $0.scenario == "memory" }
    var report = BenchReport(
      rows: simulated.means + measuredRows, verdicts: simulated.verdicts, targets: targets,
      judged: simulated.judged + measuredRows)
    report.axes = simulated.axes
    report.counted = memory
    report.measured = measuredPolicies
    report.unasked = simulated.unasked
    report.notes = simulated.knees
    let machine = MachineDescription.current().entries.map { Manifest.Fact($0.key, $0.value) }
    let manifest = Manifest(
      // The executable's path is irrelevant to the results, and personal data.
      schemaVersion: ResultSchema.version, programVersion: CommandLineMain.version,
      command: ["tidemark"] + CommandLine.arguments.dropFirst(),
      seeds: simulated.everySeed.distinct(\.seed).compactMap { $0 },
      contenders: simulated.everySeed.distinct {
        ContenderIdentity(scenario: $0.scenario, policy: $0.policy)
      },
      scenarios: inputs.map { $0.identity(claims: simulated.claims) },
      startedAt: startedAt.formatted(.iso8601),
      elapsedSeconds: start.duration(to: .now) / .seconds(1),
      host: machine.filter { !Self.toolchainKeys.contains($0.name) },
      toolchain: machine.filter { Self.toolchainKeys.contains($0.name) } + conditions)
    var contents = [("manifest.json", try manifest.document())]
    if baseline {
      let table = try BaselineTable(simulated.everySeed, targets: targetsOfScenarios)
      contents.append((BaselineTable.fileName, try table.csv()))
      if counts { contents.append((StoredCounts.fileName, try TidyTable.csv(counted))) }
    } else {
      contents += [
        ("results.csv", try TidyTable.csv(exact)),
        ("report.txt", Array(report.text(style: .plain).utf8)),
      ]
    }
    if isMeasured {
      contents.append(("memory-levels.csv", try MemoryLevel.csv(simulated.memoryLevels)))
    }
    if measurement != nil {
      contents += [
        ("latency.csv", try TidyTable.csv(latency)), ("memory.csv", try TidyTable.csv(memory)),
      ]
    }
    if !exactOnly, !baseline, let recording = inputs.first(where: { !$0.isDrawn }) {
      Console.note(
        "\(recording.name): a recording is not checked for a longer duration, nor for users who wait; a scenario "
          + "that resembles it is: `tidemark explain \(ShellWord.quoted(recording.arguments[0])) --fit "
          + "fitted.yaml`")
    }
    let marks = CommandMarks(fields.flatMap(\.1), claims: simulated.claims)
    if !baseline {
      let verdicts = SavedVerdicts(
        simulated, of: inputs, judgements: report.judgements,
        rerun: Rerun(
          policies: contenders.policies.policies, caches: contenders.caches.arguments,
          recordings: recordings.arguments(of: scenarios), seed: seed,
          seeds: seeds ?? usualSeeds),
        marks: marks)
      contents += [
        (
          "policies.csv",
          try PoliciesTable.csv(
            simulated.means, verdicts: simulated.verdicts, limits: SharedLimits.texts(of: fields))
        ),
        ("verdicts.json", try verdicts.document()),
        ("timeline.csv", try TimelineLine.csv(simulated.timelines)),
      ]
      var saved = SavedResults(folder: output, rows: exact)
      saved.run = SavedRun(manifest)
      saved.verdicts = verdicts
      saved.timeline = simulated.timelines
      if inputs.count <= Self.mostWithReads {
        let reads = try simulated.readsOfFirstSeed()
        if !reads.isEmpty {
          saved.reads = reads
          contents.append(("reads.csv", ReadTable.header + ReadTable.lines(reads)))
        }
      }
      if perSeed {
        saved.seeds = simulated.everySeed
        contents.append(("seeds.csv", try TidyTable.csv(simulated.everySeed)))
      }
      if !exactOnly { saved.levels = simulated.memoryLevels }
      if measurement != nil {
        saved.latency = latency
        saved.memory = memory
      }
      contents.append(("index.html", ReportPage(saved).html()))
    }
    try folder.replace(with: contents)
    let place = "\(output)/" + (baseline ? "" : "index.html")
    // At most about 60 lines; the rest is in the report.
    report.hasLegends = measurement == nil
    if !showsEarly { try Console.write(report.text(style: Console.style)) }
    try Console.write(marks.guidance(for: simulated.means))
    if showsEarly {
      try Console.write(
        "\n"
          + BenchSummary.text(
            verdicts: simulated.verdicts, judgements: report.judgements, place: place,
            style: Console.style))
    } else {
      Console.note(
        "report: \(place)"
          + (report.hasLegends ? "" : "; what the columns mean: \(output)/report.txt"))
    }
    if let measurementFailure { throw measurementFailure }
    try simulated.failures.throwIfAny()
  }
}
