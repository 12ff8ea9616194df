package import Foundation
package import Metrics

/// Counts memory in a process of its own, since the allocator that counts changes timings.
package struct MemoryRun: Sendable {
  private let executable: URL
  private let deadline: Duration

  /// The executable's name; it is built beside the one that runs it.
  package static let executableName = "tidemark-memory"

  /// - Parameters:
  ///   - executable: what to run; by default the memory executable beside the running one.
  ///   - deadline: how long it may take before it is ended.
  package init(executable: URL? = nil, deadline: Duration = .seconds(120)) {
    let own =
      Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
    self.executable =
      executable
      ?? own.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(Self.executableName)
    self.deadline = deadline
  }

  /// Runs the process and reads its report.
  ///
  /// - Throws: ``MemoryRunError``; never rows without a measurement behind them.
  package func run() async throws(MemoryRunError) -> MemoryReport {
    let output = try await output(of: [])
    do {
      return try MemoryReport(text: output)
    } catch {
      throw .unreadable(error)
    }
  }

  /// Runs the process for what the arguments ask, and reads the rows that it prints.
  ///
  /// - Throws: ``MemoryRunError``; never rows without a measurement behind them.
  package func rows(
    _ arguments: [String], seed: UInt64
  ) async throws(MemoryRunError) -> [ResultRow] {
    let output = try await output(of: arguments)
    do {
      return try MemoryRows.rows(in: output, seed: seed)
    } catch {
      throw .unreadable(error)
    }
  }

  private func output(of arguments: [String]) async throws(MemoryRunError) -> String {
    guard FileManager.default.isExecutableFile(atPath: executable.path) else {
      throw .executableMissing(path: executable.path)
    }
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    var environment = ProcessInfo.processInfo.environment
    // It would override the options that are compiled in.
    environment["MALLOC_CONF"] = nil
    process.environment = environment

    let (exits, exit) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in exit.finish() }
    do {
      try process.run()
    } catch {
      throw .notStarted(path: executable.path, reason: "\(error)")
    }
    // A child started from a pool thread inherits that thread's signal mask, in which termination is
    // blocked: only this signal ends it.
    let end = { @Sendable [identifier = process.processIdentifier] in _ = kill(identifier, SIGKILL)
    }
    let expiry = Task { [deadline] in
      try await Task.sleep(for: deadline)
      end()
      return true
    }
    // A report is smaller than a pipe's buffer, so the process never waits for a reader.
    let exited = Task { for await _ in exits {} }
    await withTaskCancellationHandler {
      await exited.value
    } onCancel: {
      end()
    }
    expiry.cancel()
    if case .success(true) = await expiry.result { throw .timedOut(after: deadline) }

    let message = Self.text(of: errors)
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw .failed(status: process.terminationStatus, message: message)
    }
    return Self.text(of: output)
  }

  private static func text(of pipe: Pipe) -> String {
    let bytes = try? pipe.fileHandleForReading.readToEnd()
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }
}

/// Why there is no memory report.
package enum MemoryRunError: Error, Hashable, Sendable, CustomStringConvertible {
  case executableMissing(path: String)
  case notStarted(path: String, reason: String)
  case failed(status: Int32, message: String)
  case timedOut(after: Duration)
  case unreadable(MemoryReportError)

  package var description: String {
    switch self {
    case .executableMissing(let path):
      "\(path) is not there; build it with `swift build -c release --product tidemark-memory`"
    case .notStarted(let path, let reason):
      "\(path) could not be started: \(reason)"
    case .failed(let status, let message):
      "tidemark-memory ended with \(status): \(message)"
    case .timedOut(let duration):
      "tidemark-memory was ended because it took longer than \(duration)"
    case .unreadable(let error):
      "tidemark-memory's output: \(error)"
    }
  }
}
