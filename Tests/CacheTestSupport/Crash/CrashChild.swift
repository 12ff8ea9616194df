package import Foundation
package import GRDB
import StreamingRepository

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

  /// The child's output.
  package struct Told {
    package var restored: UInt64?
    package var taken: [UInt64] = []
    package var written: [UInt64] = []
    /// A line outside the story, or an end before it was killed.
    package var failure: String?
  }

  /// Starts one.
  ///
  /// - Parameter arguments: what `storage-crash-child` is to do.
  /// - Throws: an error if it cannot be started.
  package init(_ arguments: [String]) throws {
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// The executable is next to the tests.
  private static func executable() throws -> URL {
    let name = "storage-crash-child"
    let places = [Bundle.main.bundleURL, Bundle(for: CrashChild.self).bundleURL]
    for place in places + places.map({ $0.deletingLastPathComponent() }) {
      let url = place.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: url.path) { return url }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  /// Kills the child when it has reported this many writes, within the next write; with none, while it
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

/// A temporary folder that is removed with this value.
package final class CacheFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tidemark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  package func path(_ name: String = "cache.sqlite") -> String {
    url.appendingPathComponent(name).path
  }

  /// Its own content, in order.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// The paths of all files below it, in order.
  package var files: [String] {
    let found = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return found.filter { path in
      var isFolder: ObjCBool = false
      let place = url.appendingPathComponent(path).path
      return FileManager.default.fileExists(atPath: place, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }
}

/// A row of a story that a process tells to a streaming repository until it is killed.
///
/// All rows of an answer have its number, from which their count follows.
package struct NumberedRow: Codable, RepositoryRow {
  package var id: Int
  package var number: UInt64
  package var text: String

  package static func defineColumns(in table: TableDefinition) {
    table.column("number", .integer).notNull()
    table.column("text", .text).notNull()
  }

  /// The edits of a change that no server answers.
  package static let pending = NumberedRow(id: -1, number: 0, text: "pending")

  package static func account(of number: UInt64) -> String { "account \(number % 2)" }

  /// Whether the account logs out under this number, which has no rows then.
  package static func isLogout(_ number: UInt64) -> Bool { number % 16 >= 14 }

  package static func all(of number: UInt64) -> [NumberedRow] {
    guard !isLogout(number) else { return [] }
    return (0..<(1 + Int(number * 977 % 400))).map { id in
      NumberedRow(
        id: id, number: number, text: String(repeating: "\(number);", count: 1 + id % 10))
    }
  }
}

/// The values of a story that a process tells to a cache of values by key, until it is killed.
///
/// Each number tells whether its file is complete.
package enum NumberedValue {
  package static let identifier = "story"
  package static let keys = 16

  /// Where the value of a number is fetched from: one URL for each key.
  package static func url(of number: UInt64) -> URL? {
    URL(string: "http://story/kept/\(number % UInt64(keys))")
  }

  /// The source of everything that is not kept.
  package static func looseURL(of number: UInt64) -> URL? {
    URL(string: "http://story/loose/\(number % looseKeys)")
  }

  package static let looseKeys: UInt64 = 7

  package static func key(of number: UInt64) -> String { "key \(number % UInt64(keys))" }

  /// Its number, repeated: from only the number to 64 kB.
  package static func data(_ number: UInt64) -> Data {
    let word = "\(number);"
    return Data(String(repeating: word, count: 1 + Int(number * 977 % 8_000)).utf8)
  }

  /// The number of a value; `nil`: it is not a complete value of the story.
  package static func number(of data: Data) -> UInt64? {
    let text = String(decoding: data, as: UTF8.self)
    guard let number = text.split(separator: ";").first.flatMap({ UInt64($0) }),
      self.data(number) == data
    else { return nil }
    return number
  }
}
