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
  /// How long it may take.
  package var deadline: Duration
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
    let expiry = Task { [deadline] in
      try await Task.sleep(for: deadline)
      ending.begin()
      return true
    }
    // Side by side: one whose complaints nobody reads would wait, and never end its output.
    let said = Task { await Self.text(of: output) }
    let complained = Task { await Self.text(of: errors) }
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
    if case .success(true) = await expiry.result { throw .timedOut(after: deadline) }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw .failed(status: process.terminationStatus, message: complaint)
    }
    return text
  }

  /// Reads on a thread of its own, since it waits.
  private static func text(of pipe: Pipe) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var bytes = Data()
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
          bytes.append(more.prefix(largestOutput - bytes.count))
        }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
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
