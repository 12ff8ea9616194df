package import Foundation

/// Runs a program to its end, and returns its standard output.
///
/// After the deadline or a cancellation, its input ends, and it is killed some time later if it is still
/// running.
package struct ProcessRun: Sendable {
  package var executable: URL
  package var arguments: [String]
  /// Environment variables that are not passed to it.
  package var hiddenVariables: [String] = []
  package var addedVariables: [String: String] = [:]
  /// Whether it writes to the standard error of this process, for example its progress.
  package var sharesErrors = false
  package var deadline: Duration
  /// The prefix of output lines that reset the time limit; `nil`: none.
  package var renewal: String?
  /// The time limit for its exit after the end of its input.
  package var patience: Duration = .zero

  package init(
    executable: URL = ChildProcess.ownExecutable, arguments: [String], deadline: Duration
  ) {
    self.executable = executable
    self.arguments = arguments
    self.deadline = deadline
  }

  /// Creates the run of a system tool, found in the same way as by a shell.
  package init(tool name: String, _ arguments: [String], deadline: Duration) {
    self.init(
      executable: URL(fileURLWithPath: "/usr/bin/env"), arguments: [name] + arguments,
      deadline: deadline)
  }

  package func output() async throws(ProcessRunError) -> String {
    let end = try await end()
    switch end.cause {
    case .exit(0): return end.output
    case .exit(let status), .signal(let status):
      throw .failed(status: status, message: end.complaint)
    case .timeout: throw .timedOut(after: deadline)
    }
  }

  /// Runs it to its end, with any exit status.
  package func end() async throws(ProcessRunError) -> ProcessEnd {
    let child = try ChildProcess(
      name: executable.lastPathComponent, executable: executable, arguments: arguments,
      hiddenVariables: hiddenVariables, addedVariables: addedVariables,
      sharesErrors: sharesErrors, renewal: renewal)
    let expiry = Task { [deadline, patience] in
      while case let left = deadline - child.age, left > .zero {
        try await Task.sleep(for: left)
      }
      // On a busy machine this task may be resumed long after the process has ended.
      guard child.isRunning else { return false }
      child.leave(within: patience)
      return true
    }
    let ending = Task { await child.ended() }
    let end = await withTaskCancellationHandler {
      await ending.value
    } onCancel: {
      child.leave(within: patience)
    }
    expiry.cancel()
    guard var end else { preconditionFailure("\(child.name) was not waited for") }
    if case .success(true) = await expiry.result { end.cause = .timeout }
    return end
  }
}

/// The reason why a program has no output.
package enum ProcessRunError: Error, Hashable, Sendable, CustomStringConvertible {
  case executableMissing(path: String)
  case notStarted(path: String, reason: String)
  case failed(status: Int32, message: String)
  case timedOut(after: Duration)

  package var description: String {
    switch self {
    case .executableMissing(let path): "\(path) is not there"
    case .notStarted(let path, let reason): "\(path) could not be started: \(reason)"
    case .failed(let status, let message):
      "it ended with \(status)" + (message.isEmpty ? ", and said nothing" : ": \(message)")
    case .timedOut(let duration): "it was ended because it took longer than \(duration)"
    }
  }
}

/// The turns of several subjects, alternating in direction (A B C, C B A), so that a change of the machine's
/// speed affects all of them equally.
package struct Turns: Sendable {
  /// The number of rounds, in each of which every subject has one turn.
  package var rounds: Int
  /// The time limit after ``fewestRounds`` rounds; `nil`: none.
  package var budget: Duration?

  package static let fewestRounds = 5

  package init(rounds: Int, budget: Duration? = nil) {
    self.rounds = rounds
    self.budget = budget
  }

  /// Returns the results of each subject's turns, in the order of the subjects.
  package func take<Subject, Sample>(
    _ subjects: [Subject],
    turn: (_ subject: Subject, _ round: Int) async throws -> Sample
  ) async rethrows -> [[Sample]] {
    let start = ContinuousClock.now
    var samples = subjects.map { _ in [Sample]() }
    for round in 0..<rounds {
      if let budget, round >= Self.fewestRounds, start.duration(to: .now) >= budget { break }
      for index in Self.order(of: subjects.count, inRound: round) {
        samples[index].append(try await turn(subjects[index], round))
      }
    }
    return samples
  }

  package static func order(of subjects: Int, inRound round: Int) -> [Int] {
    round.isMultiple(of: 2) ? Array(0..<subjects) : (0..<subjects).reversed()
  }
}

/// The text format in which a process passes figures to its parent.
///
/// It consists of a header line, a line for each entry with tab-separated fields, and `end`, which detects
/// truncation.
package enum ChildText {
  private static let trailer = "end"
  /// A maximum far above the output of our processes.
  static let largest = 1 << 24

  package static func write(_ header: String, _ entries: some Sequence<[String]>) -> String {
    ([header] + entries.map { $0.joined(separator: "\t") } + [trailer])
      .joined(separator: "\n") + "\n"
  }

  /// Parses the text of ``write(_:_:)``.
  package static func read<Entry>(
    _ text: String, _ header: String, entry: ([String]) -> Entry?
  ) throws(ChildTextError) -> [Entry] {
    guard text.utf8.count <= largest else {
      throw .tooLong(bytes: text.utf8.count, limit: largest)
    }
    guard text.hasSuffix("\n") else { throw .truncated }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard lines.first.map(String.init) == header else {
      throw .wrongHeader(expected: header, found: String((lines.first ?? "").prefix(80)))
    }
    guard lines.count > 1, lines.last.map(String.init) == trailer else { throw .truncated }
    var entries: [Entry] = []
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard let entry = entry(fields.map(String.init)) else {
        throw .unreadable(line: index + 1, text: String(line.prefix(80)))
      }
      entries.append(entry)
    }
    return entries
  }
}

/// The reason why a process's text is invalid.
package enum ChildTextError: Error, Hashable, Sendable, CustomStringConvertible {
  case wrongHeader(expected: String, found: String)
  case truncated
  case tooLong(bytes: Int, limit: Int)
  case unreadable(line: Int, text: String)

  package var description: String {
    switch self {
    case .wrongHeader(let expected, let found):
      "line 1: \"\(found)\" where \"\(expected)\" was expected; build all executables from the same "
        + "sources"
    case .truncated: "it does not end with \"end\"; the process died while it wrote"
    case .tooLong(let bytes, let limit): "it has \(bytes) bytes; at most \(limit) are read"
    case .unreadable(let line, let text):
      "line \(line): \"\(text)\" is not an entry; build all executables from the same sources"
    }
  }
}
