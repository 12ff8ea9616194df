import Foundation
import Synchronization

/// A process of this executable that a run has started: told what to do line by line, and heard line
/// by line.
///
/// Its standard input ends with this process, however it ends; the child takes that as the order to
/// leave. Its standard error is kept, the newest of it, to say why it failed.
final class ChildProcess: Sendable {
  let name: String

  private struct State {
    /// What it has said: a line when it is ready, a line when it is done.
    var said: [String] = []
    var errors: [String] = []
    var exit: String?
    var wasKilled = false
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

  /// The newest lines of standard error that are kept.
  private static let keptErrors = 20

  /// Starts `tidemark` with the arguments.
  ///
  /// - Parameters:
  ///   - name: what errors call it.
  ///   - arguments: the subcommand and what it takes.
  /// - Throws: what `Process` throws where it cannot be started.
  init(name: String, arguments: [String]) throws {
    self.name = name
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    self.process = Mutex(Running(process: process, input: input.fileHandleForWriting))
    let outputLines = LineSplitter()
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      self?.hear(handle, outputLines) { state, line in state.said.append(line) }
    }
    let errorLines = LineSplitter()
    errors.fileHandleForReading.readabilityHandler = { [weak self] handle in
      self?.hear(handle, errorLines) { state, line in
        state.errors.append(line)
        if state.errors.count > Self.keptErrors { state.errors.removeFirst() }
      }
    }
    process.terminationHandler = { [weak self] process in
      let status = process.terminationStatus
      self?.wake {
        $0.exit = process.terminationReason == .exit ? "exit code \(status)" : "signal \(status)"
      }
    }
    try process.run()
  }

  /// This executable, wherever it stands.
  private static var executable: URL {
    Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  }

  private func hear(
    _ handle: FileHandle, _ lines: LineSplitter, _ take: (inout State, String) -> Void
  ) {
    let bytes = handle.availableData
    if bytes.isEmpty { handle.readabilityHandler = nil }
    let whole = lines.take(bytes)
    wake { state in for line in whole { take(&state, line) } }
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
  func obituary() async -> String {
    // Its end and its last words come on different ways.
    try? await Task.sleep(for: .milliseconds(50))
    return state.withLock { state in
      ([state.exit ?? "it does not answer"] + state.errors).joined(separator: "; ")
    }
  }

  var wasKilled: Bool { state.withLock { $0.wasKilled } }
  var isRunning: Bool { state.withLock { $0.exit == nil } }

  // MARK: Ending

  /// Ends it without a warning.
  func kill() async {
    state.withLock { $0.wasKilled = true }
    signal(SIGKILL)
    await ended()
  }

  /// Tells it to leave, and makes it where it does not.
  func stop() async {
    process.withLock { try? $0.input.close() }
    let insisting = Task {
      try await Task.sleep(for: .seconds(2))
      signal(SIGKILL)
    }
    await ended()
    insisting.cancel()
  }

  private func signal(_ number: Int32) {
    guard isRunning else { return }
    process.withLock { _ = Foundation.kill($0.process.processIdentifier, number) }
  }
}

/// Cuts what comes from a pipe into lines; used by one reader.
private final class LineSplitter: Sendable {
  private let rest = Mutex(Data())

  func take(_ bytes: Data) -> [String] {
    rest.withLock { rest in
      rest.append(bytes)
      var lines: [String] = []
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: rest[..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
      return lines
    }
  }
}
