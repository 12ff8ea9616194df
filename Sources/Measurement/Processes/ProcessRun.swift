package import Foundation
import Synchronization

/// Runs a program to its end, and gives what it wrote to standard output.
///
/// Its standard input stays open and ends with this process, however it ends: a program may take that
/// as the order to leave. It is told to leave by it, too, and is ended some time later whatever it
/// does, when the deadline has passed or the task was cancelled.
package struct ProcessRun: Sendable {
  package var executable: URL
  package var arguments: [String]
  /// Variables of the environment that it is not to see.
  package var hiddenVariables: [String] = []
  /// Variables that it sees beside, or in place of, those of this process.
  package var addedVariables: [String: String] = [:]
  /// How long it may take.
  package var deadline: Duration
  /// How the lines of its output begin that give it the whole time again; `nil`: none does.
  package var renewal: String?
  /// How long it may take to leave, once it has been told to.
  package var patience: Duration = .zero

  /// More than any program of ours says; what comes after it is not kept.
  private static let largestOutput = 1 << 26

  package init(executable: URL, arguments: [String], deadline: Duration) {
    self.executable = executable
    self.arguments = arguments
    self.deadline = deadline
  }

  /// The running executable, wherever it stands.
  package static var ownExecutable: URL {
    Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
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
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw .executableMissing(path: executable.path)
    }
    let process = Process()
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    var environment = ProcessInfo.processInfo.environment
    for name in hiddenVariables { environment[name] = nil }
    environment.merge(addedVariables) { $1 }
    process.environment = environment

    let (exits, exit) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in exit.finish() }
    do {
      try process.run()
    } catch {
      throw .notStarted(path: executable.path, reason: "\(error)")
    }
    let ending = Ending(
      input: input.fileHandleForWriting, process: process.processIdentifier, patience: patience)
    let renewals = Renewals(renewal)
    let expiry = Task { [deadline] in
      while case let left = deadline - renewals.age, left > .zero {
        try await Task.sleep(for: left)
      }
      ending.begin()
      return true
    }
    // Side by side: one whose complaints nobody reads would wait, and never end its output.
    let said = Task { await Self.text(of: output, for: renewals) }
    let complained = Task { await Self.text(of: errors, for: nil) }
    let exited = Task { for await _ in exits {} }
    let (text, complaint) = await withTaskCancellationHandler {
      let texts = await (said.value, complained.value)
      await exited.value
      return texts
    } onCancel: {
      ending.begin()
    }
    ending.isOver()
    expiry.cancel()
    let status = process.terminationStatus
    let cause: ProcessEnd.Cause =
      if case .success(true) = await expiry.result {
        .timeout
      } else {
        process.terminationReason == .exit ? .exit(status) : .signal(status)
      }
    return ProcessEnd(cause: cause, output: text, complaint: complaint)
  }

  /// Reads on a thread of its own, since it waits.
  private static func text(of pipe: Pipe, for renewals: Renewals?) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var bytes = Data()
        var line = 0
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
          bytes.append(more.prefix(largestOutput - bytes.count))
          guard let renewals else { continue }
          while let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) {
            renewals.hear(bytes[line..<end])
            line = end + 1
          }
        }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// When the time of a process began, the last time.
  private final class Renewals: Sendable {
    private let beginning: [UInt8]?
    private let start = Mutex(ContinuousClock.now)

    init(_ beginning: String?) {
      self.beginning = beginning.map { Array($0.utf8) }
    }

    func hear(_ line: Data) {
      guard let beginning, line.starts(with: beginning) else { return }
      start.withLock { $0 = .now }
    }

    var age: Duration { start.withLock { $0.duration(to: .now) } }
  }

  /// How the process is brought to its end, once.
  private final class Ending: Sendable {
    private struct State: @unchecked Sendable {
      let input: FileHandle
      var hasBegun = false
      var isOver = false
    }

    // The handle is used under the lock only.
    private let state: Mutex<State>
    private let process: Int32
    private let patience: Duration

    init(input: FileHandle, process: Int32, patience: Duration) {
      state = Mutex(State(input: input))
      self.process = process
      self.patience = patience
    }

    func begin() {
      let isFirst = state.withLock { state in
        guard !state.hasBegun, !state.isOver else { return false }
        state.hasBegun = true
        try? state.input.close()
        return true
      }
      guard isFirst else { return }
      Task {
        try? await Task.sleep(for: patience)
        // A child started from a pool thread inherits that thread's signal mask, in which
        // termination is blocked: only this signal ends it. Not one that has ended: its number may
        // be another's.
        state.withLock { if !$0.isOver { _ = kill(process, SIGKILL) } }
      }
    }

    /// The process has ended.
    func isOver() { state.withLock { $0.isOver = true } }
  }
}

/// How a program ended, and what it said before.
package struct ProcessEnd: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// It was ended when its time was up.
    case timeout
  }

  package var cause: Cause
  /// What it wrote to standard output.
  package var output: String
  /// What it wrote to standard error.
  package var complaint: String
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
