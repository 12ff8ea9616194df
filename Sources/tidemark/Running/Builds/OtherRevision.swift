import CommandLineInterface
import Foundation
import Processes

/// The executables of another revision of this repository, built in a work tree of its own.
///
/// They are kept by commit in `.build/against`, so that a revision is built once.
struct OtherRevision {
  /// As the user wrote it.
  let name: String
  let commit: String
  let lab: URL
  let memory: URL

  /// The longest that a build may take.
  private static let deadline = Duration.seconds(3_600)

  /// Builds the revision, or finds what was built before.
  ///
  /// - Throws: ``CommandFailure``: `input` where there is no such revision, `baseline` where it cannot be
  ///   built.
  static func build(_ name: String, progress: ProgressLine) async throws -> OtherRevision {
    let top = try await git(["rev-parse", "--show-toplevel"], failing: "not in a git repository")
    // Behind the dashes a name that begins with one is no option.
    let commit = try await git(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(name)^{commit}"], in: top,
      failing: "--against \(name): no such revision; name a branch, a tag or a commit")
    let folder = URL(fileURLWithPath: top).appendingPathComponent(".build/against")
    let kept = folder.appendingPathComponent(commit)
    let revision = OtherRevision(
      name: name, commit: commit, lab: kept.appendingPathComponent(Companion.lab.rawValue),
      memory: kept.appendingPathComponent(MemoryRun.executableName))
    let manager = FileManager.default
    guard !manager.isExecutableFile(atPath: revision.memory.path) else { return revision }
    progress.report("building \(name) (\(commit.prefix(7))), some minutes the first time")
    let checkout = folder.appendingPathComponent("checkout")
    if manager.fileExists(atPath: checkout.path) {
      _ = try await git(
        ["checkout", "--quiet", "--detach", "--force", commit], in: checkout.path,
        failing: "\(checkout.path): \(commit) cannot be checked out; remove that folder")
    } else {
      // One that was removed by hand is still known to git.
      _ = try await git(["worktree", "prune"], in: top, failing: "git worktree prune")
      _ = try await git(
        ["worktree", "add", "--quiet", "--detach", checkout.path, commit], in: top,
        failing: "\(checkout.path): no work tree can be made there")
    }
    // The revision knows best how it is built.
    var make = ProcessRun(tool: "make", ["-C", checkout.path, "lab"], deadline: deadline)
    make.patience = .seconds(2)
    let end = try await make.end()
    guard end.cause == .exit(0) else {
      let last = (end.output + end.complaint).split(separator: "\n").suffix(8)
      throw CommandFailure(
        .baseline,
        "--against \(name): its build ended with \(end.cause):\n" + last.joined(separator: "\n"))
    }
    try keep(
      from: checkout.appendingPathComponent(".build/release"), in: kept, revision: revision)
    return revision
  }

  /// Copies the executables to where they stay when the work tree has moved on: all or none.
  private static func keep(
    from built: URL, in kept: URL, revision: OtherRevision
  ) throws(CommandFailure) {
    let manager = FileManager.default
    let draft = kept.appendingPathExtension("draft-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      try manager.createDirectory(at: draft, withIntermediateDirectories: true)
      for executable in [revision.lab, revision.memory] {
        let name = executable.lastPathComponent
        try manager.copyItem(
          at: built.appendingPathComponent(name), to: draft.appendingPathComponent(name))
      }
      // What is there has no memory executable: it is a leftover.
      try? manager.removeItem(at: kept)
      try manager.moveItem(at: draft, to: kept)
    } catch {
      try? manager.removeItem(at: draft)
      throw CommandFailure(
        .baseline,
        "--against \(revision.name): its executables cannot be kept in \(kept.path): "
          + SystemReason.text(of: error))
    }
  }

  /// - Returns: the first line of what git says.
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
