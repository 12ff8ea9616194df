import Analysis
import ArgumentParser
import CommandLineInterface
import Reporting
import ResultModel

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two policies read by read.",
    discussion: """
      Reads files of `simulate --outcomes FILE`. Two reads are the same if they have the same outcome and, \
      if served wrong, differ from the truth in the same row. Waits are not compared.

      Exits with 1 if a read differs, or is in one of them alone.

      EXAMPLES
        tidemark simulate file-browser --policies lru,ttl --outcomes reads.csv
        tidemark diff reads.csv --policies lru,ttl
        tidemark diff before.csv after.csv --policies lru
      """)

  @Argument(
    help: ArgumentHelp(
      "Compare two policies of one file, or one policy each of two files.", valueName: "FILE"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Name two policies of one file; or of two files one for both, or one each. Default: the only ones.",
      valueName: "a,b"))
  var policies: String?

  @Option(help: ArgumentHelp("List this many of the reads that differ.", valueName: "N"))
  var show = 10

  func run() throws {
    guard (1...2).contains(files.count) else {
      throw CommandFailure(.input, "diff takes one file or two, not \(files.count)")
    }
    guard (0...1_000_000).contains(show) else {
      throw CommandFailure(.input, "--show is \(show); give 0 to 1,000,000")
    }
    let names = policies?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.map({ (1...2).contains($0.count) }) ?? true else {
      throw CommandFailure(.input, "--policies has \(names?.count ?? 0) names; give one or two")
    }
    let (first, second) = try sides(names)
    let comparison: ReadComparison
    do throws(ReadComparison.Fault) {
      comparison = try ReadComparison(first.reads, second.reads)
    } catch {
      throw failure(error, first, second)
    }
    let text = ReadComparisonText.text(
      comparison, names: Self.names(first, second), shown: show, style: Console.style)
    try OutputFile.write(Console.legible(text), to: "-")
    guard comparison.differing.isEmpty, comparison.onlyInFirst + comparison.onlyInSecond == 0
    else { throw CommandFailure(.failed) }
  }

  private struct Side {
    var path: String
    var policy: String
    var reads: [ReadLine]
  }

  private func sides(_ names: [String]?) throws -> (Side, Side) {
    let first = try TableFile.reads(files[0])
    guard files.count == 2 else {
      let found = first.distinct(\.policy)
      let two = names ?? found
      guard two.count == 2 else {
        throw CommandFailure(
          .input,
          "\(FileKind.title(of: files[0])): it has the reads of \(found.joined(separator: ", ")); "
            + "name two of them with --policies a,b")
      }
      return (try side(files[0], first, two[0]), try side(files[0], first, two[1]))
    }
    let second = try TableFile.reads(files[1])
    return (
      try side(files[0], first, names?.first), try side(files[1], second, names?.last)
    )
  }

  private func side(_ path: String, _ reads: [ReadLine], _ policy: String?) throws -> Side {
    let found = reads.distinct(\.policy)
    guard let policy = policy ?? (found.count == 1 ? found[0] : nil), found.contains(policy) else {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): \(policy.map { "no reads of \($0)" } ?? "no policy is named"); "
          + "it has those of \(found.joined(separator: ", ")): name one with --policies")
    }
    return Side(path: path, policy: policy, reads: reads.filter { $0.policy == policy })
  }

  /// Returns distinct names of both sides.
  private static func names(_ first: Side, _ second: Side) -> (first: String, second: String) {
    first.policy == second.policy
      ? (first.path, second.path) : (first.policy, second.policy)
  }

  private func failure(
    _ fault: ReadComparison.Fault, _ first: Side, _ second: Side
  ) -> CommandFailure {
    switch fault {
    case .nothingInCommon:
      let runs = [first, second].map { side in
        side.reads.distinct { "\($0.scenario) with seed \($0.seed)" }.joined(separator: ", ")
      }
      return CommandFailure(
        .input,
        "\(first.path), \(second.path): no read is in both: one has \(runs[0]), the other "
          + "\(runs[1]); write both of one scenario and seed")
    case .otherWorkload(let read, let other):
      return CommandFailure(
        .input,
        "\(first.path), \(second.path): action \(read.action) of \(read.client) in "
          + "\(read.scenario) asks for \(read.read) in one and for \(other.read) in the other; "
          + "write both from one version of the scenario")
    }
  }
}
