import ArgumentParser
import CommandLineInterface
import FaultSearch
import Text

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Fuzz the cache: random programs against a reference model.",
    discussion: """
      Each seed draws a cache composition and a program of reads, observers, events, invalidations and \
      network faults, and checks every promise of the cache after every step, and again when the faults \
      have ended. A failing program is shrunk and written as a small text file, which --replay runs. \
      One that ends the process, or does not end, is written too, and the search goes on.
      """)

  @Option(help: "Search this many seeds; default: 2000.")
  var seeds: Int?

  @Option(help: "Begin with this seed; default: 0.")
  var firstSeed: UInt64?

  @Option(help: "Give each program this many steps; default: 100.")
  var steps: Int?

  @Option(
    help: ArgumentHelp(
      "Limit the time of a program, in seconds; default: 60.", valueName: "S"))
  var timeLimit: Int?

  @Option(
    help: ArgumentHelp(
      "Run a written case instead, twice, and stop at the first step where it fails.",
      valueName: "FILE"))
  var replay: String?

  @Option(
    help: ArgumentHelp(
      "Write the shrunk case to this folder; made if it is not there.", valueName: "DIR"))
  var output = "."

  @OptionGroup var planting: Planting

  /// The limits of one command; a longer search requires several.
  private static let limits = (seeds: 100_000_000, steps: 100_000, seconds: 86_400)

  private static let usual = (seeds: 2_000, steps: 100, seconds: 60)

  func validate() throws {
    let given = [
      ("--seeds", seeds != nil), ("--first-seed", firstSeed != nil), ("--steps", steps != nil),
    ]
    if replay != nil, let name = given.first(where: \.1)?.0 {
      throw ValidationError("\(name): a written case has its own; omit it with --replay")
    }
    let (seeds, steps) = (seeds ?? Self.usual.seeds, steps ?? Self.usual.steps)
    let firstSeed = firstSeed ?? 0
    guard (1...Self.limits.seeds).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): must be from 1 to \(Self.limits.seeds)")
    }
    guard (1...Self.limits.steps).contains(steps) else {
      throw ValidationError("--steps \(steps): must be from 1 to \(Self.limits.steps)")
    }
    guard (1...Self.limits.seconds).contains(timeLimit ?? Self.usual.seconds) else {
      throw ValidationError(
        "--time-limit \(timeLimit ?? 0): must be from 1 to \(Self.limits.seconds)")
    }
    guard firstSeed <= UInt64.max - UInt64(Self.limits.seeds) else {
      throw ValidationError("--first-seed \(firstSeed): too large for \(seeds) seeds")
    }
  }

  func run() async throws {
    let process = SearchProcess(
      limit: .seconds(timeLimit ?? Self.usual.seconds), options: planting.arguments)
    if let replay { return try await run(replaying: replay, by: process) }
    let (seeds, steps) = (seeds ?? Self.usual.seeds, steps ?? Self.usual.steps)
    let firstSeed = firstSeed ?? 0
    let folder = try CaseFolder(output)
    let progress = ProgressLine("check")
    let search = try await SeedSearch.run(
      firstSeed..<firstSeed + UInt64(seeds), steps: steps, by: process
    ) {
      progress.report("\($0) of \(seeds) seeds")
    }
    progress.end()
    try Console.write(SearchReport(search, firstSeed: firstSeed).text(style: Console.style))
    guard !search.findings.isEmpty else { return }
    for finding in search.findings {
      try await write(finding, steps: steps, to: folder, by: process)
    }
    throw CommandFailure(.failed)
  }

  private func write(
    _ finding: SeedFinding, steps: Int, to folder: CaseFolder, by process: SearchProcess
  ) async throws {
    let (faultCase, first) = try await process.trace(finding, steps: steps)
    // Shrinking may end the process, so the case is written before.
    let path = try folder.write(faultCase, first)
    Console.note("check: seed \(finding.seed) fails; shrinking \(faultCase.steps.count) steps")
    let smallest = try await process.shrink(faultCase, first.promise)
    var divergence = first
    if smallest != faultCase {
      _ = try folder.write(smallest, first)
      divergence = try await process.replay(path) ?? first
      _ = try folder.write(smallest, divergence)
    }
    let left = smallest.steps.count
    try Console.write(
      """
      seed \(finding.seed), \(divergence)
      \(left == 1 ? "1 step is" : "\(left) steps are") left of \(faultCase.steps.count):
        \(ShellWord.line(["tidemark", "check", "--replay", path]))

      """)
  }

  private func run(replaying path: String, by process: SearchProcess) async throws {
    let faultCase = try CaseFolder.read(path)
    guard let found = try await process.replay(path) else {
      try Console.write("\(path): \(faultCase.steps.count) steps, no promise is broken\n")
      return
    }
    let name = faultCase.steps.indices.contains(found.step) ? faultCase.steps[found.step].kind : nil
    try Console.write(
      "\(path): \(found)\n" + (name.map { "  in a step \($0.rawValue)\n" } ?? ""))
    throw CommandFailure(.failed)
  }
}
