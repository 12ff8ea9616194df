import ArgumentParser
import FaultSearch
import Foundation
import Reporting

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Search for faults of the cache: random programs against servers that are the truth.",
    discussion: """
      Each seed draws a cache composition and a program of reads, observers, events, invalidations and \
      network faults, and checks every promise of the cache after every step, and again when the faults \
      have ended. A failing program is shrunk and written as a small text file, which --replay runs.
      """)

  @Option(help: "How many seeds to search; default: 2000.")
  var seeds: Int?

  @Option(help: "The first of them; default: 0.")
  var firstSeed: UInt64?

  @Option(help: "How many steps each program takes; default: 100.")
  var steps: Int?

  @Option(
    help: ArgumentHelp(
      "Run a written case instead, twice, and stop at the first step where it fails.",
      valueName: "FILE"))
  var replay: String?

  @Option(
    help: ArgumentHelp(
      "The folder for the shrunk case; made if it is not there.", valueName: "DIR"))
  var output = "."

  /// What one command may ask for; a longer search is two commands.
  private static let limits = (seeds: 100_000_000, steps: 100_000)

  private static let usual = (seeds: 2_000, steps: 100)

  func validate() throws {
    let given = [
      ("--seeds", seeds != nil), ("--first-seed", firstSeed != nil), ("--steps", steps != nil),
    ]
    if replay != nil, let name = given.first(where: \.1)?.0 {
      throw ValidationError("\(name): a written case has its own; leave it away with --replay")
    }
    let (seeds, steps) = (seeds ?? Self.usual.seeds, steps ?? Self.usual.steps)
    let firstSeed = firstSeed ?? 0
    guard (1...Self.limits.seeds).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): must be from 1 to \(Self.limits.seeds)")
    }
    guard (1...Self.limits.steps).contains(steps) else {
      throw ValidationError("--steps \(steps): must be from 1 to \(Self.limits.steps)")
    }
    guard firstSeed <= UInt64.max - UInt64(Self.limits.seeds) else {
      throw ValidationError("--first-seed \(firstSeed): too large for \(seeds) seeds")
    }
  }

  func run() async throws {
    if let replay { return try run(replaying: replay) }
    let (seeds, steps) = (seeds ?? Self.usual.seeds, steps ?? Self.usual.steps)
    let firstSeed = firstSeed ?? 0
    let folder = try CaseFolder(output)
    let progress = Progress("check")
    let total = seeds
    let search = await SeedSearch.run(firstSeed..<firstSeed + UInt64(seeds), steps: steps) {
      progress.report("\($0) of \(total) seeds")
    }
    progress.end()
    try Console.write(SearchReport(search, firstSeed: firstSeed).text(style: Console.style))
    guard let (faultCase, divergence) = search.failure else { return }
    Console.note("check: seed \(faultCase.seed) fails; shrinking \(faultCase.steps.count) steps")
    var shrinker = Shrinker(faultCase, divergence)
    shrinker.shrink()
    let path = try folder.write(shrinker.smallest, shrinker.divergence)
    try Console.write(
      """
      seed \(faultCase.seed), \(shrinker.divergence)
      \(shrinker.smallest.steps.count) steps are left of \(faultCase.steps.count):
        tidemark check --replay \(path)

      """)
    throw CommandFailure(.failed)
  }

  private func run(replaying path: String) throws {
    let bytes = try InputFile.read(path, limit: CaseFile.sizeLimit)
    let faultCase: FaultCase
    do throws(CaseError) {
      faultCase = try CaseFile.read(bytes)
    } catch {
      throw CommandFailure(.input, error.text(in: path))
    }
    let found = FaultSearch.replay(faultCase) ?? FaultSearch.replayTwice(faultCase)
    guard let found else {
      try Console.write("\(path): \(faultCase.steps.count) steps, no promise is broken\n")
      return
    }
    let name = faultCase.steps.indices.contains(found.step) ? faultCase.steps[found.step].kind : nil
    try Console.write(
      "\(path): \(found)\n" + (name.map { "  in a step \($0.rawValue)\n" } ?? ""))
    throw CommandFailure(.failed)
  }
}

/// Where shrunk cases go; made when there is one.
struct CaseFolder {
  private let path: String

  /// - Throws: ``CommandFailure`` where nothing could be written there; asked before the work.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    switch FileKind.of(path) {
    case .directory: try OutputFile.check(file(0))
    case nil: try tryToMake()
    case .file, .other: throw failure("is there, and is no directory")
    }
  }

  /// Tries the first of the missing directories.
  private func tryToMake() throws(CommandFailure) {
    var missing = URL(fileURLWithPath: path).standardizedFileURL
    while FileKind.of(missing.deletingLastPathComponent().path) == nil {
      missing.deleteLastPathComponent()
    }
    do throws(FileWriter.Failure) {
      try FileWriter.tryDirectory(missing.path)
    } catch {
      throw failure("cannot be made: \(error)")
    }
  }

  private func failure(_ cause: String) -> CommandFailure {
    CommandFailure(.output, "\(path): \(cause); choose another directory with --output")
  }

  /// - Throws: ``CommandFailure`` where the file cannot be written.
  /// - Returns: the path of the file.
  func write(_ faultCase: FaultCase, _ divergence: Divergence) throws -> String {
    let bytes = CaseFile.write(faultCase, remarks: [divergence.description])
    // That it could not be made is told of the file in it.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = file(faultCase.seed)
    try OutputFile.write(bytes, to: file)
    return file
  }

  private func file(_ seed: UInt64) -> String {
    let name = "seed-\(seed).case"
    return path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }
}
