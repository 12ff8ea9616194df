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
