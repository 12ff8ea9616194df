package import Foundation
import Synchronization

/// A child process, with line-based commands and answers.
///
/// Its standard input remains open until this process ends in any way; a child exits when its input ends.
package final class ChildProcess: Sendable {
  /// The name in errors.
  package let name: String

  private struct Text {
    var bytes: [UInt8] = []
    /// The start of the incomplete last line.
    var lastLine = 0

    /// A maximum far above any of our programs' output; more is discarded.
    static let limit = 1 << 26

    mutating func append(_ more: Data) -> [String] {
      var searched = bytes.count
      bytes += more.prefix(Self.limit - bytes.count)
      var lines: [String] = []
      while let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: bytes[lastLine..<end], as: UTF8.self))
        lastLine = end + 1
        searched = lastLine
      }
      return lines
    }

    var whole: String { String(decoding: bytes, as: UTF8.self) }
  }

  private struct State {
    var output = Text()
    var complaint = Text()
    var lines: [String] = []
    /// The start of its present time limit.
    var timed = ContinuousClock.now
    var cause: ProcessEnd.Cause?
    /// The number of outputs that are still open.
    var openOutputs = 2
    var changes = 0
    var listeners: [CheckedContinuation<Void, Never>] = []

    var end: ProcessEnd? {
      guard let cause, openOutputs == 0 else { return nil }
      return ProcessEnd(cause: cause, output: output.whole, complaint: complaint.whole)
    }

    var isOver: Bool { cause != nil && openOutputs == 0 }
  }

  private let state = Mutex(State())
  // The lock protects `Process` and its pipe, except in its own handler.
  private let process: Mutex<Running>
  private let renewal: String?

  private struct Running: @unchecked Sendable {
    var process: Process
    var input: FileHandle
    var isLeaving = false
  }

  private static let keptComplaints = 20

  package static var ownExecutable: URL {
    Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
  }

  /// Returns an executable that is built with the running one, in the same folder.
  package static func sibling(_ name: String) -> URL {
    ownExecutable.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: the name in errors.
  ///   - executable: the program; by default that of this process.
  ///   - arguments: the program's arguments.
  ///   - hiddenVariables: environment variables that are not passed to it.
  ///   - addedVariables: additional or replaced environment variables.
  ///   - sharesErrors: whether it writes to the standard error of this process, which then does not read it.
  ///   - renewal: the prefix of output lines that reset its ``age``.
  /// - Throws: ``ProcessRunError`` if it cannot be started.
  package init(
    name: String, executable: URL = ChildProcess.ownExecutable, arguments: [String],
    hiddenVariables: [String] = [], addedVariables: [String: String] = [:],
    sharesErrors: Bool = false, renewal: String? = nil
  ) throws(ProcessRunError) {
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw .executableMissing(path: executable.path)
    }
    self.name = name
    self.renewal = renewal
    let process = Process()
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = sharesErrors ? FileHandle.standardError : errors
    var environment = ProcessInfo.processInfo.environment
    for name in hiddenVariables { environment[name] = nil }
    process.environment = environment.merging(addedVariables) { $1 }
    self.process = Mutex(Running(process: process, input: input.fileHandleForWriting))
    process.terminationHandler = { [weak self] process in
      let status = process.terminationStatus
      self?.wake { $0.cause = process.terminationReason == .exit ? .exit(status) : .signal(status) }
    }
    do {
      try process.run()
    } catch {
      throw .notStarted(path: executable.path, reason: "\(error)")
    }
    // Blocking threads: a dispatch source must not outlive its pipe, and would. Concurrent ones: a process
    // whose error output is not read would block, and never end its output.
    listen(to: output.fileHandleForReading) { state, more in
      let lines = state.output.append(more)
      state.lines += lines
      if let renewal, lines.contains(where: { $0.hasPrefix(renewal) }) { state.timed = .now }
    }
    if sharesErrors {
      wake { $0.openOutputs -= 1 }
    } else {
      listen(to: errors.fileHandleForReading) { state, more in _ = state.complaint.append(more) }
    }
  }

  /// Reads an output until the process closes it.
  private func listen(
    to pipe: FileHandle, _ hear: @escaping @Sendable (inout State, Data) -> Void
  ) {
    Thread.detachNewThread {
      while case let bytes = pipe.availableData, !bytes.isEmpty {
        self.wake { hear(&$0, bytes) }
      }
      self.wake { $0.openOutputs -= 1 }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let listeners = state.withLock { state in
      change(&state)
      state.changes += 1
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.resume() }
  }

  // MARK: Commands

  package func tell(_ line: String) {
    process.withLock { try? $0.input.write(contentsOf: Data("\(line)\n".utf8)) }
  }

  /// Returns the first line with this prefix when it is received; `nil` if the process ends before, or the
  /// task is cancelled.
  package func line(beginning prefix: String) async -> String? {
    var line: String?
    await wait { state in
      line = state.lines.first { $0.hasPrefix(prefix) }
      return line != nil
    }
    return line
  }

  /// Waits for its end, or until the task is cancelled.
  ///
  /// - Returns: how it ended; `nil`: it is running.
  @discardableResult
  package func ended() async -> ProcessEnd? {
    await wait { _ in false }
    return state.withLock { $0.end }
  }

  /// Waits until a condition holds, the process ends, or the task is cancelled.
  private func wait(until isSo: (borrowing State) -> Bool) async {
    while !Task.isCancelled {
      let (isDone, changes) = state.withLock { (isSo($0) || $0.isOver, $0.changes) }
      if isDone { return }
      await change(from: changes)
    }
  }

  /// Waits for a change after this number of changes, or until the task is cancelled.
  private func change(from changes: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isLate = state.withLock { state in
          guard state.changes == changes, !Task.isCancelled else { return true }
          state.listeners.append(continuation)
          return false
        }
        if isLate { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }

  /// The exit status and the last error output, for error messages.
  package var exitReport: String {
    state.withLock { state in
      let complaints = state.complaint.whole.split(separator: "\n").suffix(Self.keptComplaints)
      return ([state.cause.map { "\($0)" } ?? "it does not answer"] + complaints.map(String.init))
        .joined(separator: "; ")
    }
  }

  package var isRunning: Bool { state.withLock { !$0.isOver } }

  /// The time since its start, or since a line that resets it.
  package var age: Duration { state.withLock { $0.timed.duration(to: .now) } }

  // MARK: Ending

  /// Ends its input, and kills it some time later if it is still running; once only.
  package func leave(within patience: Duration) {
    let isFirst = process.withLock { running in
      defer { running.isLeaving = true }
      if !running.isLeaving { try? running.input.close() }
      return !running.isLeaving
    }
    guard isFirst else { return }
    Task {
      try? await Task.sleep(for: patience)
      // A child started from a pool thread inherits that thread's signal mask, in which SIGTERM is blocked:
      // only this signal ends it. A process that has ended gets none, since its identifier may be reused.
      process.withLock { running in
        let hasEnded = state.withLock { $0.cause != nil }
        if !hasEnded { _ = kill(running.process.processIdentifier, SIGKILL) }
      }
    }
  }

  /// Ends it, and waits for that regardless of cancellation.
  package func stop(within patience: Duration = .seconds(2)) async {
    leave(within: patience)
    _ = await Task { await ended() }.value
  }
}

package struct ProcessEnd: Hashable, Sendable {
  package enum Cause: Hashable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)
    case timeout

    package var description: String {
      switch self {
      case .exit(let status): "exit code \(status)"
      case .signal(let number): "signal \(number)"
      case .timeout: "its time was up"
      }
    }
  }

  package var cause: Cause
  package var output: String
  /// Its standard error.
  package var complaint: String
}
