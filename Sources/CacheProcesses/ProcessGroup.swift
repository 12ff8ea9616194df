import Foundation

struct ProcessGroup {
  let number: Int32

  /// Returns the resident bytes as the system counts them: a limit on address space would end runtimes that
  /// reserve far more than they use.
  ///
  /// Shared pages count for each process.
  func residentBytes() -> Int? {
    guard let members else { return nil }
    return members.reduce(0) { $0 + $1.residentPages } * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Whether any of its processes has not ended.
  ///
  /// A zombie counts as ended, if `/proc` shows it.
  var isRunning: Bool {
    guard kill(-number, 0) == 0 else { return false }
    guard let members else { return true }
    return members.contains { !$0.hasEnded }
  }

  private struct Member {
    var hasEnded: Bool
    var residentPages: Int
  }

  /// `nil` if the system does not report them.
  private var members: [Member]? {
    guard let folder = opendir("/proc") else { return nil }
    defer { closedir(folder) }
    var members: [Member] = []
    var text = [UInt8](repeating: 0, count: 1_024)
    while let entry = readdir(folder) {
      let number = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        Int32(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
      guard let number, let status = Self.status(of: number, into: &text) else { continue }
      if status.group == self.number { members.append(status.member) }
    }
    return members
  }

  /// Returns the system's status of a process; `nil` if it has ended meanwhile.
  private static func status(
    of process: Int32, into text: inout [UInt8]
  ) -> (group: Int32, member: Member)? {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let count = text.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    // The program's name, in brackets, may contain brackets and spaces.
    guard count > 0, let name = text[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let words = text[(name + 1)..<count].split(separator: UInt8(ascii: " "))
    guard words.count > 21, let group = Int32(String(decoding: words[2], as: UTF8.self)),
      let pages = Int(String(decoding: words[21], as: UTF8.self))
    else { return nil }
    let hasEnded = "ZX".utf8.contains(words[0].first ?? 0)
    return (group, Member(hasEnded: hasEnded, residentPages: pages))
  }
}

/// The memory of a group's processes, sampled at intervals.
struct GroupMemory {
  private let group: ProcessGroup
  private var nextLook = ContinuousClock.now

  /// The minimum interval between samples.
  static let interval = Duration.milliseconds(100)
  /// Sampling takes at most this share of the time, even with many processes.
  private static let restPerLook = 50

  init(of group: ProcessGroup) { self.group = group }

  /// Returns the resident bytes if a sample is due, otherwise `nil`.
  mutating func bytesIfDue(at now: ContinuousClock.Instant) -> Int? {
    guard now >= nextLook else { return nil }
    let bytes = group.residentBytes()
    let cost = now.duration(to: .now)
    nextLook = now.advanced(by: max(Self.interval, cost * Self.restPerLook))
    return bytes
  }
}
