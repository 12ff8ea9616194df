/// The control of operations: work that no build of the cache changes, timed beside the operations: it shows when another process was
/// on the same core.
///
/// Eight sums over an array that fits the first cache: nothing waits for another, so half a core is half
/// the speed.
struct ControlWork: Subject {
  private var words = (0..<4_096).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
  private static let passes = 8

  mutating func perform(_ count: Int) -> Int {
    Int(truncatingIfNeeded: (0..<count).reduce(0) { sum, _ in sum ^ pass() })
  }

  /// Does it once, about 30 µs.
  ///
  /// - Returns: a checksum, so that the work is not left out.
  @inline(never) private mutating func pass() -> UInt64 {
    var sums = (0..<8).map { UInt64($0) }
    for _ in 0..<Self.passes {
      for start in stride(from: 0, to: words.count, by: 8) {
        for lane in 0..<8 {
          sums[lane] = (sums[lane] ^ words[start + lane]) &* 0xD6E8_FEB8_6659_FD93
        }
      }
    }
    let sum = sums.reduce(0, &+)
    words[0] ^= sum
    return sum
  }
}
