import CommandLineInterface
import FaultSearch
import Foundation
import Processes
import Reporting
import ResultModel

/// Runs programs in separate processes: a crash or a hang of such a process is a finding, and the search
/// continues.
struct SearchProcess: Sendable {
  var limit: Duration
  var options: [String]

  /// The output of a process, and the reason for its end.
  struct Transcript: Sendable {
    var words: [SearchWord]
    /// The reason for its end, at the step of its last program; `nil`: it ended normally.
    var death: Divergence?

    /// The last seed that it began.
    var seed: UInt64? {
      words.lazy.compactMap { if case .begins(let seed) = $0 { seed } else { nil } }.last
    }

    /// The violation by the last completed program.
    var divergence: Divergence? {
      words.lazy.compactMap { if case .done(_, let found) = $0 { found } else { nil } }.last
    }

    /// The steps that it printed.
    var steps: [String] {
      words.compactMap { if case .step(let text) = $0 { text } else { nil } }
    }
  }

  func run(_ work: RunSearchCommand.Work, _ arguments: [String]) async throws -> Transcript {
    var run = ProcessRun(
      arguments: ["run-search", work.rawValue] + arguments + options, deadline: limit)
    run.renewal = SearchWord.beginning
    // A trap must end the process immediately, without the runtime's backtrace, which takes seconds.
    run.addedVariables = ["SWIFT_BACKTRACE": "enable=no"]
    let end: ProcessEnd
    do {
      end = try await run.end()
    } catch {
      throw CommandFailure(.fault, "check: a process of its own: \(error)")
    }
    let lines = end.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let words = lines.compactMap { SearchWord($0) }
    var transcript = Transcript(words: words)
    if end.cause == .exit(0) {
      // A program without a reported result did not succeed.
      guard work == .shrink || words.contains(where: \.isOutcome), words.count == lines.count else {
        throw CommandFailure(
          .fault,
          "check: a process of its own did not say how its programs ended, or said it amid other lines"
        )
      }
      return transcript
    }
    guard !words.isEmpty, let found = finding(end) else {
      throw CommandFailure(
        .fault, "check: a process of its own ended without its work: \(end.complaint)")
    }
    transcript.death = Divergence(
      found.promise, step: Self.lastStep(words), subject: "the last call",
      expected: found.expected, found: found.cause)
    return transcript
  }

  /// Returns the finding in the end of a process; `nil` if it has none.
  private func finding(
    _ end: ProcessEnd
  ) -> (promise: Promise, expected: String, cause: String)? {
    switch end.cause {
    case .exit:
      return nil
    case .signal(let number):
      let isTrap = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV].contains(number)
      // The runtime's message for a trap contains its location in the source.
      let reason = end.complaint.split(separator: "\n").first.map { ": \($0)" } ?? ""
      return (
        .survives, "a return",
        (isTrap ? "the cache trapped (signal \(number))" : "the process ended by signal \(number)")
          + reason
      )
    case .timeout:
      let seconds = limit.components.seconds
      return (.endsInTime, "a return", "it took longer than \(seconds) s")
    }
  }

  /// Returns the step of the last program; the number of its steps if it was completing its pending work.
  private static func lastStep(_ words: [SearchWord]) -> Int {
    var steps = 0
    var isAtRest = false
    for word in words {
      if case .step = word { steps += 1 }
      if case .rest = word { isAtRest = true }
    }
    return isAtRest ? steps : max(steps - 1, 0)
  }
}

extension SearchProcess {
  /// Searches a seed again, and returns its program up to the failure.
  func trace(_ finding: SeedFinding, steps: Int) async throws -> (FaultCase, Divergence) {
    let transcript = try await run(
      .trace, ["--first-seed", "\(finding.seed)", "--steps", "\(steps)"])
    let start = CaseFile.write(FaultCase.drawn(seed: finding.seed))
    let text = transcript.steps.map { "\($0)\n" }.joined()
    do throws(CaseError) {
      let faultCase = try CaseFile.read(start + Array(text.utf8))
      return (faultCase, transcript.death ?? transcript.divergence ?? finding.divergence)
    } catch {
      throw CommandFailure(.fault, error.text(in: "seed \(finding.seed)"))
    }
  }

  /// Runs a case file; returns its violation.
  func replay(_ path: String) async throws -> Divergence? {
    let transcript = try await run(.replay, ["--file", path])
    return transcript.death ?? transcript.divergence
  }

  /// The maximum number of processes that a case may crash while it is shrunk.
  private static let largestToll = 200

  /// Shrinks a failing case.
  ///
  /// If the case crashes the process, so do smaller ones: shrinking restarts, and skips known candidates. Any
  /// other candidate that crashes the process ends the shrinking. A case that takes too long is not shrunk,
  /// since each candidate would take as long.
  func shrink(_ faultCase: FaultCase, _ promise: Promise) async throws -> FaultCase {
    guard promise != .endsInTime else { return faultCase }
    let folder = ShrinkingFolder(TemporaryFolder(for: "search").url)
    try folder.make(faultCase)
    defer { folder.remove() }
    for toll in 0..<Self.largestToll {
      let transcript = try await run(
        .shrink, ["--folder", folder.url.path, "--promise", promise.rawValue])
      guard promise == .survives, transcript.death?.promise == promise else { break }
      try folder.noteFatal(toll)
    }
    return try CaseFile.read([UInt8](Data(contentsOf: folder.smallest)))
  }
}

/// A line from a searching process to its parent, written before each action, since that may be its last.
enum SearchWord {
  /// The start of a program, which may take the time limit.
  case begins(seed: UInt64)
  case step(String)
  /// The end of its steps; all pending work completes.
  case rest
  case done(StepTally, Divergence?)

  /// Whether it is the result of a program.
  var isOutcome: Bool { if case .done = self { true } else { false } }

  /// The prefix of lines for the start of a program.
  static let beginning = "begin "

  private struct Outcome: Codable {
    var tally: StepTally
    var divergence: Divergence?
  }

  func say() throws {
    let line =
      switch self {
      case .begins(let seed): "\(Self.beginning)\(seed)"
      case .step(let text): "step \(text)"
      case .rest: "rest"
      case .done(let tally, let divergence):
        try "done "
          + String(
            decoding: JSONEncoder().encode(Outcome(tally: tally, divergence: divergence)),
            as: UTF8.self)
      }
    try Console.tell(line + "\n")
  }

  /// Parses a line; `nil` for any other one.
  init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let rest = parts.count > 1 ? String(parts[1]) : ""
    switch parts.first {
    case "begin":
      guard let seed = UInt64(rest) else { return nil }
      self = .begins(seed: seed)
    case "step":
      self = .step(rest)
    case "rest":
      self = .rest
    case "done":
      guard let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(rest.utf8)) else {
        return nil
      }
      self = .done(outcome.tally, outcome.divergence)
    default:
      return nil
    }
  }
}

/// The summary of a search for people: its extent, its speed, and unused kinds of steps.
struct SearchReport {
  private let search: SeedSearch
  private let firstSeed: UInt64

  init(_ search: SeedSearch, firstSeed: UInt64) {
    self.search = search
    self.firstSeed = firstSeed
  }

  func text(style: TextStyle) -> String {
    let tally = search.tally
    let speed = search.seconds > 0 ? Double(tally.steps) / search.seconds : 0
    let last = firstSeed + UInt64(max(search.seeds, 1)) - 1
    let verdict =
      search.findings.isEmpty ? style.paint("no promise is broken", .good) : "a promise is broken"
    return """
      \(count(search.seeds)) seeds (\(firstSeed) to \(last)), \(count(tally.steps)) steps in \
      \(HumanNumber.duration(nanoseconds: search.seconds * 1e9)), \
      \(count(Int(speed))) steps per second: \(verdict)
      \(count(tally.eventsApplied)) events applied, \(count(tally.reconciles)) reconciles, \
      \(count(tally.evictions)) evictions, \(count(tally.notifications)) notifications, \
      \(count(tally.confirmations)) answers confirmed


      """ + kinds.terminal(style: style, indent: 2) + "\n"
  }

  private var kinds: TextTable {
    var table = TextTable(columns: [
      .init("step"), .init("taken", .right), .init("did something", .right),
    ])
    for (index, kind) in StepKind.allCases.enumerated() {
      let taken = search.tally.taken[index]
      let share = taken > 0 ? Double(search.tally.effective[index]) / Double(taken) : 0
      table.append([kind.rawValue, count(taken), HumanNumber.percent(share)])
    }
    return table
  }

  private func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }
}
