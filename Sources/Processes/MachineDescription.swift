import FoundationEssentials

/// The machine and time of a run: the part of a report that is not reproducible.
package struct MachineDescription: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var key: String
    package var value: String
  }

  /// The entries in a fixed order; unknown ones are omitted.
  package let entries: [Entry]

  package subscript(key: String) -> String? {
    entries.first { $0.key == key }?.value
  }

  init(entries: [(String, String?)]) {
    self.entries = entries.compactMap { key, value in
      value.map { Entry(key: key, value: $0) }
    }
  }

  package static func current() -> MachineDescription {
    MachineDescription(entries: [
      ("date", Date.now.formatted(.iso8601)),
      ("cpu_model", cpuModel(in: contents(of: "/proc/cpuinfo"))),
      ("cores", String(ProcessInfo.processInfo.activeProcessorCount)),
      ("memory_bytes", String(ProcessInfo.processInfo.physicalMemory)),
      ("operating_system", ProcessInfo.processInfo.operatingSystemVersionString),
      ("kernel", contents(of: "/proc/sys/kernel/osrelease").map(trimmed)),
      ("load", load(in: contents(of: "/proc/loadavg"))),
      ("compiler", compiler),
      ("build", build),
    ])
  }

  /// Returns the processor's name from `/proc/cpuinfo`.
  static func cpuModel(in text: String?) -> String? {
    let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
    guard let value = line?.split(separator: ":", maxSplits: 1).last else { return nil }
    return trimmed(String(value))
  }

  /// Returns the three load averages from `/proc/loadavg`.
  static func load(in text: String?) -> String? {
    guard let fields = text?.split(separator: " "), fields.count >= 3 else { return nil }
    return fields.prefix(3).joined(separator: " ")
  }

  private static func contents(of path: String) -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  private static var compiler: String {
    #if compiler(>=6.4)
      "Swift 6.4 or later"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2 or earlier"
    #endif
  }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
