package import Foundation
package import ResultModel

/// Counts memory in a process of its own, since the allocator that counts changes timings.
package struct MemoryRun: Sendable {
  private let executable: URL
  private let deadline: Duration

  /// The executable's name; it is built beside the one that runs it.
  package static let executableName = "tidemark-memory"

  /// That of this build.
  package static var ownExecutable: URL { ChildProcess.sibling(executableName) }

  /// - Parameters:
  ///   - executable: what to run.
  ///   - deadline: how long it may take before it is ended.
  package init(executable: URL = Self.ownExecutable, deadline: Duration = .seconds(120)) {
    self.executable = executable
    self.deadline = deadline
  }

  /// Runs the process for what the arguments ask, by default what a whole cache takes, and reads the rows that it prints.
  ///
  /// - Throws: ``MemoryRunError``; never rows without a measurement behind them.
  package func rows(
    _ arguments: [String] = [], seed: UInt64
  ) async throws(MemoryRunError) -> [ResultRow] {
    let output = try await output(arguments)
    do {
      return try ChildRows.rows(in: output, seed: seed)
    } catch {
      throw .unreadable(error)
    }
  }

  /// The version of the allocator that counts.
  ///
  /// - Throws: ``MemoryRunError``.
  package func allocator() async throws(MemoryRunError) -> String {
    String(try await output(["allocator"]).prefix { $0 != "\n" })
  }

  private func output(_ arguments: [String]) async throws(MemoryRunError) -> String {
    var run = ProcessRun(executable: executable, arguments: arguments, deadline: deadline)
    // It would override the options that are compiled in.
    run.hiddenVariables = ["MALLOC_CONF"]
    do {
      return try await run.output()
    } catch {
      throw .process(error)
    }
  }
}

/// Why there are no figures of memory.
package enum MemoryRunError: Error, Hashable, Sendable, CustomStringConvertible {
  case process(ProcessRunError)
  case unreadable(ChildTextError)

  package var description: String {
    switch self {
    case .process(.executableMissing(let path)):
      "\(path) is not there; build it with `make release`"
    case .process(.notStarted(let path, let reason)):
      "\(path) could not be started: \(reason)"
    case .process(.failed(let status, let message)):
      "tidemark-memory ended with \(status): \(message)"
    case .process(.timedOut(let duration)):
      "tidemark-memory was ended because it took longer than \(duration)"
    case .unreadable(let error):
      "tidemark-memory's output: \(error)"
    }
  }
}
