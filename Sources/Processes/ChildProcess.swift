package import Foundation
import Synchronization

/// A process that this one has started, with orders and answers line by line.
///
/// Its standard input stays open and ends with this process, however it ends; a child takes that as
/// the order to leave.
package final class ChildProcess: Sendable {
  /// What errors call it.
  package let name: String

  /// What it has written to one of its outputs.
  private struct Text {
    var bytes: [UInt8] = []
    /// Where the line begins whose end has not come.
    var lastLine = 0

    /// More than any program of ours says; what comes after it is not kept.
    static let limit = 1 << 26

    /// - Returns: the complete lines.
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
    /// The whole lines of its output.
    var lines: [String] = []
    /// When its time began, the last time.
    var timed = ContinuousClock.now
    var cause: ProcessEnd.Cause?
    /// Which of its two outputs it may still write to.
    var openOutputs = 2
    /// How often anything of this has changed.
    var changes = 0
    var listeners: [CheckedContinuation<Void, Never>] = []

    var end: ProcessEnd? {
      guard let cause, openOutputs == 0 else { return nil }
      return ProcessEnd(cause: cause, output: output.whole, complaint: complaint.whole)
    }

    var isOver: Bool { cause != nil && openOutputs == 0 }
  }

  private let state = Mutex(State())
  // `Process` and its pipe are used under this lock only, but for its own handler.
  private let process: Mutex<Running>
  private let renewal: String?

  private struct Running: @unchecked Sendable {
    var process: Process
    var input: FileHandle
    var isLeaving = false
  }

  private static let keptComplaints = 20

  /// The running executable, wherever it is.
  package static var ownExecutable: URL {
    Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
  }

  /// An executable that is built with the running one, and lies next to it.
  package static func sibling(_ name: String) -> URL {
    ownExecutable.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: what errors call it.
  ///   - executable: the program; by default that of this process.
  ///   - arguments: of the program.
  ///   - hiddenVariables: variables of the environment that it is not to see.
  ///   - addedVariables: variables that it sees in addition to, or instead of, those of this process.
  ///   - sharesErrors: whether it writes to the standard error of this process, which then does not hear it.
  ///   - renewal: how the lines of its output begin from which its ``age`` is counted again.
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
    // Threads that wait: a source of events on a pipe must not outlive it, and would. Side by side:
    // one whose error output is not read would wait, and never end its output.
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

  /// Hears it until it has closed the output.
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

  // MARK: Talking

  package func tell(_ line: String) {
    process.withLock { try? $0.input.write(contentsOf: Data("\(line)\n".utf8)) }
  }

  /// The first line that begins so, when it has been said; `nil` when the process has ended without,
  /// or the task was cancelled.
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
  /// - Returns: how it ended; `nil`: it has not.
  @discardableResult
  package func ended() async -> ProcessEnd? {
    await wait { _ in false }
    return state.withLock { $0.end }
  }

  /// Waits until something is so, the process has ended, or the task is cancelled.
  private func wait(until isSo: (borrowing State) -> Bool) async {
    while !Task.isCancelled {
      let (isDone, changes) = state.withLock { (isSo($0) || $0.isOver, $0.changes) }
      if isDone { return }
      await change(from: changes)
    }
  }

  /// Waits until something has happened since this many changes, or the task is cancelled.
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

  /// How it ended and what it complained of at last; for errors.
  package var exitReport: String {
    state.withLock { state in
      let complaints = state.complaint.whole.split(separator: "\n").suffix(Self.keptComplaints)
      return ([state.cause.map { "\($0)" } ?? "it does not answer"] + complaints.map(String.init))
        .joined(separator: "; ")
    }
  }

  package var isRunning: Bool { state.withLock { !$0.isOver } }

  /// How long ago it was started, or said a line that renews its time.
  package var age: Duration { state.withLock { $0.timed.duration(to: .now) } }

  // MARK: Ending

  /// Tells it to leave, and makes it some time later where it does not; once.
  package func leave(within patience: Duration) {
    let isFirst = process.withLock { running in
      defer { running.isLeaving = true }
      if !running.isLeaving { try? running.input.close() }
      return !running.isLeaving
    }
    guard isFirst else { return }
    Task {
      try? await Task.sleep(for: patience)
      // A child started from a pool thread inherits that thread's signal mask, in which termination
      // is blocked: only this signal ends it. Not one that has ended: its number may be another's.
      process.withLock { running in
        let hasEnded = state.withLock { $0.cause != nil }
        if !hasEnded { _ = kill(running.process.processIdentifier, SIGKILL) }
      }
    }
  }

  /// Ends it, and waits for that whatever is cancelled.
  package func stop(within patience: Duration = .seconds(2)) async {
    leave(within: patience)
    _ = await Task { await ended() }.value
  }
}

/// How a program ended, and what it said before.
package struct ProcessEnd: Hashable, Sendable {
  package enum Cause: Hashable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)
    /// It was ended when its time was up.
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
  /// What it wrote to standard output.
  package var output: String
  /// What it wrote to standard error.
  package var complaint: String
}
