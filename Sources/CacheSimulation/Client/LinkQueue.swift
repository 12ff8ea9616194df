/// One direction of a link: what is sent takes its turn.
struct LinkQueue: Sendable {
  /// `nil`: no limit, so nothing takes time to send.
  let bytesPerSecond: Int?
  /// When the last byte of what was sent so far leaves, in nanoseconds.
  private var free: Int64 = 0

  init(bytesPerSecond: Int?) {
    self.bytesPerSecond = bytesPerSecond
  }

  /// When the last byte of what is sent now leaves.
  ///
  /// - Precondition: calls come in order of time.
  mutating func departure(of bytes: Int, at now: Int64) -> Int64 {
    guard let bytesPerSecond else { return now }
    let transmission = Int64(Double(bytes) * 1_000_000_000 / Double(bytesPerSecond))
    free = max(free, now) + transmission
    return free
  }
}
