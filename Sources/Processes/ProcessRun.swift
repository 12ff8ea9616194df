package import Foundation

/// Runs a program to its end, and gives what it wrote to standard output.
///
/// It is told to leave by the end of its input, and is ended some time later whatever it does, when the
/// deadline has passed or the task was cancelled.
package struct ProcessRun: Sendable {
  package var executable: URL
  package var arguments: [String]
  /// Variables of the environment that it is not to see.
  package var hiddenVariables: [String] = []
  /// Variables that it sees beside, or instead of, those of this process.
  package var addedVariables: [String: String] = [:]
  /// Whether it writes to the standard error of this process, as one that shows its progress does.
  package var sharesErrors = false
  /// How long it may take.
  package var deadline: Duration
  /// How the lines of its output begin that give it the whole time again; `nil`: none does.
  package var renewal: String?
  /// How long it may take to leave, once it has been told to.
  package var patience: Duration = .zero

  package init(
    executable: URL = ChildProcess.ownExecutable, arguments: [String], deadline: Duration
  ) {
    self.executable = executable
    self.arguments = arguments
    self.deadline = deadline
  }

  /// A tool of the system, found as a shell finds it.
  package init(tool name: String, _ arguments: [String], deadline: Duration) {
    self.init(
      executable: URL(fileURLWithPath: "/usr/bin/env"), arguments: [name] + arguments,
      deadline: deadline)
  }

  /// - Returns: what it wrote to standard output, after it has ended with exit code 0.
  /// - Throws: ``ProcessRunError``.
  package func output() async throws(ProcessRunError) -> String {
    let end = try await end()
    switch end.cause {
    case .exit(0): return end.output
    case .exit(let status), .signal(let status):
      throw .failed(status: status, message: end.complaint)
    case .timeout: throw .timedOut(after: deadline)
    }
  }

  /// Runs it to its end, whatever end that is.
  ///
  /// - Throws: ``ProcessRunError`` where it could not begin.
  package func end() async throws(ProcessRunError) -> ProcessEnd {
    let child = try ChildProcess(
      name: executable.lastPathComponent, executable: executable, arguments: arguments,
      hiddenVariables: hiddenVariables, addedVariables: addedVariables,
      sharesErrors: sharesErrors, renewal: renewal)
    let expiry = Task { [deadline, patience] in
      while case let left = deadline - child.age, left > .zero {
        try await Task.sleep(for: left)
      }
      // On a busy machine this task may be given no thread until long after the process has ended.
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

/// Why a program gave nothing.
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
