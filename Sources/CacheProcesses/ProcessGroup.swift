import Foundation

/// Processes that are signalled together.
struct ProcessGroup {
  /// That of the process that leads it.
  let number: Int32

  /// The bytes that are resident in memory, as the system counts them: a limit of addresses would end runtimes
  /// that reserve far more than they use.
  ///
  /// Pages that processes share are counted for each.
  ///
  /// - Returns: `nil` if there is no `/proc`.
  func residentBytes() -> Int? {
    guard let members else { return nil }
    return members.reduce(0) { $0 + $1.residentPages } * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Whether a process of it has not ended.
  ///
  /// One that nobody has waited for has ended all the same, where there is a `/proc` that says so.
  var isRunning: Bool {
    guard kill(-number, 0) == 0 else { return false }
    guard let members else { return true }
    return members.contains { !$0.hasEnded }
  }

  private struct Member {
    var hasEnded: Bool
    var residentPages: Int
  }

  /// `nil` if the system does not say.
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

  /// What the system says of a process; `nil` if it has ended meanwhile.
  private static func status(
    of process: Int32, into text: inout [UInt8]
  ) -> (group: Int32, member: Member)? {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let count = text.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    // The name of its program, in brackets, may itself have brackets and spaces.
    guard count > 0, let name = text[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let words = text[(name + 1)..<count].split(separator: UInt8(ascii: " "))
    guard words.count > 21, let group = Int32(String(decoding: words[2], as: UTF8.self)),
      let pages = Int(String(decoding: words[21], as: UTF8.self))
    else { return nil }
    let hasEnded = "ZX".utf8.contains(words[0].first ?? 0)
    return (group, Member(hasEnded: hasEnded, residentPages: pages))
  }
}

/// What the processes of a group take in memory, looked at now and then.
struct GroupMemory {
  private let group: ProcessGroup
  private var nextLook = ContinuousClock.now

  /// How long a process may grow unseen, at least.
  static let interval = Duration.milliseconds(100)
  /// Looking takes at most this share of the time, on a machine of many processes too.
  private static let restPerLook = 50

  init(of group: ProcessGroup) { self.group = group }

  /// The bytes that are resident, where it is time to look; else `nil`.
  mutating func bytesIfDue(at now: ContinuousClock.Instant) -> Int? {
    guard now >= nextLook else { return nil }
    let bytes = group.residentBytes()
    let cost = now.duration(to: .now)
    nextLook = now.advanced(by: max(Self.interval, cost * Self.restPerLook))
    return bytes
  }
}
