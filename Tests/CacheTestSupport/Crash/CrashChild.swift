import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A child process that writes to files until it is killed.
package final class CrashChild {
  private let process = Process()
  private let output = Pipe()
  /// The lines that it has said, and the beginning of the next.
  private var lines: [String] = []
  private var rest: [UInt8] = []

  /// What the child said.
  package struct Told {
    package var restored: UInt64?
    package var taken: [UInt64] = []
    package var written: [UInt64] = []
    /// A line that is none of the story, or that it ended before it was killed.
    package var failure: String?
  }

  /// Starts one.
  ///
  /// - Parameter arguments: what `storage-crash-child` is to do.
  /// - Throws: an error where it cannot be started.
  package init(_ arguments: [String]) throws {
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// The executable stands beside the tests.
  private static func executable() throws -> URL {
    let name = "storage-crash-child"
    let places = [Bundle.main.bundleURL, Bundle(for: CrashChild.self).bundleURL]
    for place in places + places.map({ $0.deletingLastPathComponent() }) {
      let url = place.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: url.path) { return url }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  /// Kills the child when it has said that so many writes are done, within the next write; with none, while it
  /// opens its files.
  ///
  /// This waits on the thread that calls: a task would wait behind other tests, and the child write for
  /// minutes.
  ///
  /// - Parameters:
  ///   - count: how many writes.
  ///   - share: how far into the next write, in parts of what one has taken so far. How many writes there are
  ///     at least depends on `count` alone.
  /// - Returns: all that it has said.
  package func kill(afterWritten count: Int, share: Double) -> Told {
    var begin = ContinuousClock.now
    var hasEnded = false
    while !hasEnded, lines.isEmpty || lines.count(where: { $0.hasPrefix("written ") }) < count {
      let isOpening = lines.isEmpty
      hasEnded = !hear()
      if isOpening, count > 0 { begin = .now }
    }
    let ofOne = begin.duration(to: .now) / max(1, count)
    usleep(UInt32(share * (ofOne / .microseconds(1))))
    // Of this process only: its number is the child's until it is waited for.
    _ = systemKill(process.processIdentifier)
    while hear() {}
    process.waitUntilExit()
    var told = told()
    if hasEnded { told.failure = "it ended by itself" }
    return told
  }

  /// Waits until it says more.
  ///
  /// - Returns: whether it may say something after that.
  private func hear() -> Bool {
    let bytes = output.fileHandleForReading.availableData
    rest += bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    return !bytes.isEmpty
  }

  private func told() -> Told {
    var told = Told()
    for line in lines {
      let words = line.split(separator: " ")
      let number = words.count == 2 ? UInt64(words[1]) : nil
      switch (words.first, number) {
      case ("opens", nil): continue
      case ("restored", let number?): told.restored = number
      case ("taken", let number?): told.taken.append(number)
      case ("written", let number?): told.written.append(number)
      default: told.failure = line
      }
    }
    return told
  }

  private func systemKill(_ process: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.kill(process, SIGKILL)
    #else
      Darwin.kill(process, SIGKILL)
    #endif
  }
}
