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

/// What the system says of memory, that of this process above all; Linux only.
package enum ProcessMemory {
  /// Makes the peak begin again.
  ///
  /// - Returns: the bytes in physical memory now; `nil` if the system has no such switch.
  package static func resetPeak() -> Int? {
    do {
      try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    } catch {
      return nil
    }
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// The bytes in physical memory now, without pages that the allocator could give back, and has; `nil`
  /// where the system does not say.
  package static func resident() -> Int? {
    returnFreePages()
    return bytes(of: "VmRSS", in: contents(of: "/proc/self/status"))
  }

  /// glibc has an arena for each of some threads and keeps what was free in it: the more threads a peak
  /// happened to meet, the more the process seems to hold.
  private static func returnFreePages() {
    #if canImport(Glibc)
      // Swift's module of the C library has no <malloc.h>.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }

  /// The most bytes in physical memory since the start, or since ``resetPeak()``.
  package static func peak() -> Int? {
    bytes(of: "VmHWM", in: contents(of: "/proc/self/status"))
  }

  /// The bytes that could be had without swapping; all that the machine has where the system does not
  /// say.
  package static var available: Int {
    let all = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    return min(all, bytes(of: "MemAvailable", in: contents(of: "/proc/meminfo")) ?? all)
  }

  /// The value of a line `name: 123 kB`.
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

/// The time that the processor has spent on the calling thread.
///
/// For work that waits for nothing: what else runs on the machine takes no part in it, save by what
/// it does to the caches. Two instants compare only on one thread.
package enum ProcessorTime {
  /// Nanoseconds since the thread began.
  package static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Counts memory in a separate process, since the allocator that counts changes timings.
package struct MemoryRun: Sendable {
  private let executable: URL
  private let deadline: Duration

  /// The executable's name; it is built with the one that runs it.
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
