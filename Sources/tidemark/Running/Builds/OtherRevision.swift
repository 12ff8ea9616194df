import CommandLineInterface
import Foundation
import Processes
import ResultModel
import Text

/// The executables of another revision of this repository, built in a separate work tree.
///
/// They are cached by commit in `.build/against`, so that a revision is built once.
struct OtherRevision {
  /// The revision as the user wrote it.
  let name: String
  let commit: String
  private let kept: URL

  /// A set of executables that are built together, by a target of `make`.
  enum Part: String {
    /// The simulator.
    case core
    /// The measurements.
    case lab

    fileprivate var executables: [String] {
      switch self {
      case .core: ["tidemark"]
      case .lab: [Companion.lab.rawValue, MemoryRun.executableName]
      }
    }
  }

  var lab: URL { kept.appendingPathComponent(Companion.lab.rawValue) }
  var memory: URL { kept.appendingPathComponent(MemoryRun.executableName) }

  /// Whether Tidemark's sources are here, so that a revision can be built.
  static var isPossible: Bool { FileKind.of("Sources/NormalizedCache") == .directory }

  private static let deadline = Duration.seconds(3_600)

  /// Builds the revision, or finds an earlier build.
  ///
  /// - Throws: ``CommandFailure``: `input` if there is no such revision, `baseline` if it cannot be built.
  static func build(
    _ name: String, _ part: Part, progress: ProgressLine
  ) async throws -> OtherRevision {
    let top = try await git(
      ["rev-parse", "--show-toplevel"],
      failing: "--against \(name): not in a git repository; run it in a clone that has it")
    // After the dashes a name that begins with one is not an option.
    let commit = try await git(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(name)^{commit}"], in: top,
      failing: "--against \(name): no such revision; name a branch, a tag or a commit")
    let folder = URL(fileURLWithPath: top).appendingPathComponent(".build/against")
    let revision = OtherRevision(
      name: name, commit: commit,
      kept: folder.appendingPathComponent(part == .core ? "\(commit)-core" : commit))
    let manager = FileManager.default
    let isBuilt = part.executables.allSatisfy {
      manager.isExecutableFile(atPath: revision.kept.appendingPathComponent($0).path)
    }
    guard !isBuilt else { return revision }
    progress.report("building \(name) (\(commit.prefix(7))), some minutes the first time")
    let checkout = folder.appendingPathComponent("checkout")
    if manager.fileExists(atPath: checkout.path) {
      _ = try await git(
        ["checkout", "--quiet", "--detach", "--force", commit], in: checkout.path,
        failing: "\(checkout.path): \(commit) cannot be checked out; remove that folder")
    } else {
      // A work tree that was removed by hand is still registered with git.
      _ = try await git(["worktree", "prune"], in: top, failing: "git worktree prune")
      _ = try await git(
        ["worktree", "add", "--quiet", "--detach", checkout.path, commit], in: top,
        failing: "\(checkout.path): no work tree can be made there")
    }
    // The revision's own makefile knows how to build it.
    var make = ProcessRun(tool: "make", ["-C", checkout.path, part.rawValue], deadline: deadline)
    make.patience = .seconds(2)
    let end = try await make.end()
    guard end.cause == .exit(0) else {
      let last = (end.output + end.complaint).split(separator: "\n")
        .filter { !$0.hasPrefix("make") }.suffix(3)
      throw CommandFailure(
        .baseline,
        "--against \(name): its build ended with \(end.cause); to see why: make -C "
          + "\(ShellWord.quoted(checkout.path)) \(part.rawValue)\n" + last.joined(separator: "\n"))
    }
    try revision.keep(part, from: checkout.appendingPathComponent(".build/release"))
    return revision
  }

  /// Copies all executables, or none, to where they remain when the work tree changes.
  private func keep(_ part: Part, from built: URL) throws(CommandFailure) {
    let manager = FileManager.default
    let draft = kept.appendingPathExtension("draft-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      try manager.createDirectory(at: draft, withIntermediateDirectories: true)
      for name in part.executables {
        try manager.copyItem(
          at: built.appendingPathComponent(name), to: draft.appendingPathComponent(name))
      }
      // An incomplete set is left over from an earlier attempt.
      try? manager.removeItem(at: kept)
      try manager.moveItem(at: draft, to: kept)
    } catch {
      try? manager.removeItem(at: draft)
      throw CommandFailure(
        .baseline,
        "--against \(name): its executables cannot be kept in \(kept.path): "
          + SystemReason.text(of: error))
    }
  }

  /// Returns the exact rows of every seed of a scenario or recording.
  func rows(
    of input: SimulationInput, seeds: Int, options: [String]
  ) async throws -> [ResultRow] {
    let folder = TemporaryFolder(for: "against")
    try folder.make()
    defer { folder.remove() }
    let path = folder.path(of: "rows.csv")
    var arguments =
      ["simulate"] + input.arguments + [
        "--no-robustness", "--format", "csv", "--output", path,
      ]
    if input.isDrawn { arguments += ["--seeds", String(seeds)] }
    let run = ProcessRun(
      executable: kept.appendingPathComponent("tidemark"), arguments: arguments + options,
      deadline: Self.deadline)
    do {
      _ = try await run.output()
      let rows = try TidyTable.read(
        try InputFile.read(path, limit: Self.byteLimit), added: nil
      ).rows
      // The rows over all seeds follow those of single seeds.
      return rows.contains { $0.seed != nil } ? rows.filter { $0.seed != nil } : rows
    } catch {
      throw CommandFailure(
        .baseline,
        "--against \(name): that revision cannot simulate \(input.argument): \(error); name one that "
          + "reads this file, or leave --against out")
    }
  }

  /// The maximum size of a file of rows, in bytes.
  private static let byteLimit = 1 << 28

  private static func git(
    _ arguments: [String], in folder: String = ".", failing message: String
  ) async throws -> String {
    let run = ProcessRun(tool: "git", ["-C", folder] + arguments, deadline: .seconds(120))
    let end = try await run.end()
    guard end.cause == .exit(0) else {
      let cause = end.complaint.split(separator: "\n").last.map { " (\($0))" } ?? ""
      throw CommandFailure(.input, message + cause)
    }
    return end.output.split(separator: "\n").first.map(String.init) ?? ""
  }
}
