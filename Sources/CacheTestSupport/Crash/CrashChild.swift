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
  private var heard = Data()

  /// What the child said.
  package struct Told {
    package var restored: UInt64?
    package var taken: [UInt64] = []
    package var written: [UInt64] = []
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

  /// Waits until the child has said something, or has ended.
  package func awaitFirstLine() {
    heard = output.fileHandleForReading.availableData
  }

  /// Kills the child after a while, on the thread that calls: a task would wait behind other tests, and the
  /// child write for minutes.
  package func kill(after microseconds: Int) -> Told {
    usleep(UInt32(microseconds))
    // Of this process only: its number is the child's until it is waited for.
    _ = systemKill(process.processIdentifier)
    heard += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    var told = Told()
    for line in String(decoding: heard, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      let number = words.count == 2 ? UInt64(words[1]) : nil
      switch (words.first, number) {
      case ("restored", let number?): told.restored = number
      case ("taken", let number?): told.taken.append(number)
      case ("written", let number?): told.written.append(number)
      default: told.failure = String(line)
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
