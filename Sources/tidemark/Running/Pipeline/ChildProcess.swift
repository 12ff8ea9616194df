import Foundation
import Measurement
import Synchronization

/// A process of this executable that a run has started: told what to do line by line, and heard line
/// by line.
///
/// Its standard input ends with this process, however it ends; the child takes that as the order to
/// leave. What else it writes is kept, the newest of it, to say why it failed.
final class ChildProcess: Sendable {
  let name: String

  private struct State {
    /// What it has said: a line when it is ready, a line when it is done.
    var said: [String] = []
    /// Anything else, the newest of it.
    var complaints: [String] = []
    var exit: String?
    /// How often anything of this has changed.
    var changes = 0
    var listeners: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  // `Process` and its pipes are used under this lock only, but for its own handlers.
  private let process: Mutex<Running>

  private struct Running: @unchecked Sendable {
    var process: Process
    var input: FileHandle
  }

  /// How the lines begin that are addressed to the run.
  private static let words = ["ready", "done"]
  private static let keptComplaints = 20
  private static let longestLine = 1 << 16

  /// Starts `tidemark` with the arguments.
  ///
  /// - Parameters:
  ///   - name: what errors call it.
  ///   - arguments: the subcommand and what it takes.
  /// - Throws: what `Process` throws where it cannot be started.
  init(name: String, arguments: [String]) throws {
    self.name = name
    let process = Process()
    process.executableURL = ProcessRun.ownExecutable
    process.arguments = arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    self.process = Mutex(Running(process: process, input: input.fileHandleForWriting))
    process.terminationHandler = { [weak self] process in
      let status = process.terminationStatus
      self?.wake {
        $0.exit = process.terminationReason == .exit ? "exit code \(status)" : "signal \(status)"
      }
    }
    try process.run()
    // A thread that waits: a source of events on a pipe must not outlive it, and would.
    let pipe = output.fileHandleForReading
    Thread.detachNewThread { self.listen(to: pipe) }
  }

  /// Hears every line until the process has closed its outputs.
  private func listen(to pipe: FileHandle) {
    var rest = Data()
    while case let bytes = pipe.availableData, !bytes.isEmpty {
      rest.append(bytes)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        hear(String(decoding: rest[..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
      // Whoever says so much without a line has nothing to say.
      if rest.count > Self.longestLine { rest = Data() }
    }
  }

  private func hear(_ line: String) {
    wake { state in
      if Self.words.contains(where: line.hasPrefix) {
        state.said.append(line)
      } else {
        state.complaints.append(line)
        if state.complaints.count > Self.keptComplaints { state.complaints.removeFirst() }
      }
    }
  }

  private func wake(_ change: (inout sending State) -> Void) {
    let listeners = state.withLock { state in
      change(&state)
      state.changes += 1
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.resume() }
  }

  // MARK: Talking

  func tell(_ line: String) {
    process.withLock { try? $0.input.write(contentsOf: Data("\(line)\n".utf8)) }
  }

  /// The first line that begins so, when it has been said; `nil` when the process has ended without,
  /// or the task was cancelled.
  func line(beginning prefix: String) async -> String? {
    while !Task.isCancelled {
      let (line, isOver, changes) = state.withLock { state in
        (state.said.first { $0.hasPrefix(prefix) }, state.exit != nil, state.changes)
      }
      if line != nil || isOver { return line }
      await change(from: changes)
    }
    return nil
  }

  /// Waits for its end, or until the task is cancelled.
  func ended() async {
    while !Task.isCancelled {
      let (changes, isOver) = state.withLock { ($0.changes, $0.exit != nil) }
      if isOver { return }
      await change(from: changes)
    }
  }

  /// Waits until something has happened since so many changes, or the task is cancelled.
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

  /// How it ended and what it complained of; for errors.
  func exitReport() async -> String {
    // Its exit code and its last output arrive by different paths.
    try? await Task.sleep(for: .milliseconds(50))
    return state.withLock { state in
      ([state.exit ?? "it does not answer"] + state.complaints).joined(separator: "; ")
    }
  }

  var isRunning: Bool { state.withLock { $0.exit == nil } }

  // MARK: Ending

  /// Tells it to leave, and makes it where it does not.
  func stop() async {
    process.withLock { try? $0.input.close() }
    let insisting = Task {
      try await Task.sleep(for: .seconds(2))
      guard isRunning else { return }
      process.withLock { _ = kill($0.process.processIdentifier, SIGKILL) }
    }
    await ended()
    insisting.cancel()
  }
}
