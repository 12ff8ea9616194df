import Foundation

/// How much memory there is to take.
enum AvailableMemory {
  /// What the system says is available without swapping, or else all that the machine has.
  static var bytes: Int {
    let all = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return all }
    return min(all, kibibytes * 1024)
  }
}
