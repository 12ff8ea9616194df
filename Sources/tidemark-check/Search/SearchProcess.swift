import CommandLineInterface
import FaultSearch
import Foundation
import Processes
import Reporting
import ResultModel

/// Runs programs in processes of their own: what ends such a process, or never ends, is a finding, and
/// this one goes on.
struct SearchProcess: Sendable {
  /// How long one program may take.
  var limit: Duration
  /// Options that every process is given.
  var options: [String]

  /// The words of a process, and what ended it.
  struct Transcript: Sendable {
    var words: [SearchWord]
    /// What ended it, at the step of the last program that it began; `nil`: it ended by itself.
    var death: Divergence?

    /// The last seed that it began.
    var seed: UInt64? {
      words.lazy.compactMap { if case .begins(let seed) = $0 { seed } else { nil } }.last
    }

    /// What the last program broke that came to its end.
    var divergence: Divergence? {
      words.lazy.compactMap { if case .done(_, let found) = $0 { found } else { nil } }.last
    }

    /// The steps that it told.
    var steps: [String] {
      words.compactMap { if case .step(let text) = $0 { text } else { nil } }
    }
  }

  func run(_ work: RunSearchCommand.Work, _ arguments: [String]) async throws -> Transcript {
    var run = ProcessRun(
      arguments: ["run-search", work.rawValue] + arguments + options, deadline: limit)
    run.renewal = SearchWord.beginning
    // The trap is what is wanted, at once; not what the runtime would make of it in some seconds.
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
      // No word of how a program ended is not the word that it ended well.
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

  /// What the end of a process says of the cache; `nil` where it says nothing.
  private func finding(
    _ end: ProcessEnd
  ) -> (promise: Promise, expected: String, cause: String)? {
    switch end.cause {
    case .exit:
      return nil
    case .signal(let number):
      let isTrap = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV].contains(number)
      // What the runtime says of a trap names the place in the source.
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

  /// The step that the last program was at: the number of its steps, where it came to rest.
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
  /// Searches a seed again, and gives its program up to where it failed.
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

  /// Runs a written case; returns what it broke.
  func replay(_ path: String) async throws -> Divergence? {
    let transcript = try await run(.replay, ["--file", path])
    return transcript.death ?? transcript.divergence
  }

  /// The most processes that a case may end while it is shrunk.
  private static let largestToll = 200

  /// Makes a case that fails smaller.
  ///
  /// Where the case ends a process, so does what is smaller: shrinking begins again, and knows of it.
  /// Any other candidate that ends the process ends the shrinking. A case that takes too long is left
  /// as it is, since each candidate would take as long.
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

/// What a searching process tells the one that started it: a line before each thing that it does, which
/// may be its last.
enum SearchWord {
  /// A program begins, which may take the time limit.
  case begins(seed: UInt64)
  /// A step of it, as a case file says it.
  case step(String)
  /// Its steps are taken; all comes to rest.
  case rest
  /// It has ended.
  case done(StepTally, Divergence?)

  /// Whether it says how a program ended.
  var isOutcome: Bool { if case .done = self { true } else { false } }

  /// How lines begin that say that a program begins.
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

  /// `nil` for a line that says nothing of the kind.
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

/// What a search did, for a person: how much, how fast, and whether any kind of step was idle.
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
