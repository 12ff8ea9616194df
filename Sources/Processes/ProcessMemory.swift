package import Foundation
import FoundationEssentials
package import ResultModel

#if canImport(Glibc)
  import Glibc
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's figures for memory, mostly of this process; Linux only.
package enum ProcessMemory {
  /// Resets the peak.
  ///
  /// - Returns: the present resident memory in bytes; `nil` if the system does not support it.
  package static func resetPeak() -> Int? {
    do {
      try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    } catch {
      return nil
    }
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// Returns the present resident memory in bytes, after the allocator has returned free pages; `nil` if the
  /// system has no figure.
  package static func resident() -> Int? {
    returnFreePages()
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// Returns free pages to the system.
  ///
  /// glibc has an arena for each of some threads and retains freed memory in it: the more threads are used at
  /// a peak, the larger the process appears.
  private static func returnFreePages() {
    #if canImport(Glibc)
      // Swift's module of the C library does not include <malloc.h>.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }

  /// Returns the peak of resident memory in bytes since the start, or since ``resetPeak()``.
  package static func peak() -> Int? {
    bytes(of: "VmHWM", in: contents(of: "/proc/self/status"))
  }

  /// The memory that is available without swapping, in bytes; the machine's total if that is unknown.
  package static var available: Int {
    let all = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    return min(all, bytes(of: "MemAvailable", in: contents(of: "/proc/meminfo")) ?? all)
  }

  /// Returns the value of a line `name: 123 kB`.
  static func bytes(of name: String, in text: String?) -> Int? {
    guard let line = text?.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }) else {
      return nil
    }
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count == 3, fields[2] == "kB", let value = Int(fields[1]) else { return nil }
    return value * 1024
  }

  private static func contents(of path: String) -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The processor time of the calling thread.
///
/// For work without waiting: it is independent of other processes, except for their effect on the caches.
/// Instants are comparable on the same thread only.
package enum ProcessorTime {
  /// Returns the nanoseconds since the thread began.
  package static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Measures memory in a separate process, since the measuring allocator changes timings.
package struct MemoryRun: Sendable {
  private let executable: URL
  private let deadline: Duration

  /// The executable's name; it is built with the calling one.
  package static let executableName = "tidemark-memory"

  /// The executable of this build.
  package static var ownExecutable: URL { ChildProcess.sibling(executableName) }

  package init(executable: URL = Self.ownExecutable, deadline: Duration = .seconds(120)) {
    self.executable = executable
    self.deadline = deadline
  }

  /// Runs the process with the arguments, by default for a whole cache, and parses its rows.
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

  /// Returns the version of the measuring allocator.
  package func allocator() async throws(MemoryRunError) -> String {
    String(try await output(["allocator"]).prefix { $0 != "\n" })
  }

  private func output(_ arguments: [String]) async throws(MemoryRunError) -> String {
    var run = ProcessRun(executable: executable, arguments: arguments, deadline: deadline)
    // It would override the compiled options.
    run.hiddenVariables = ["MALLOC_CONF"]
    do {
      return try await run.output()
    } catch {
      throw .process(error)
    }
  }
}

/// The reason why memory was not measured.
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
