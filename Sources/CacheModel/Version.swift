/// When and where a value was written: a hybrid logical clock.
///
/// Milliseconds and a counter in one word, then the device, which breaks ties the same way
/// everywhere. Source: Kulkarni et al., "Logical Physical Clocks", OPODIS 2014.
public struct Version: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// 48 bits of milliseconds, then 16 bits of counter.
  public var clock: UInt64
  /// The device that wrote; distinct per device, otherwise opaque.
  public var device: UInt64

  public init(clock: UInt64, device: UInt64) {
    self.clock = clock
    self.device = device
  }

  public init(milliseconds: UInt64, counter: UInt16, device: UInt64) {
    self.init(clock: milliseconds << 16 | UInt64(counter), device: device)
  }

  /// Older than every version that a device can write.
  public static let none = Version(clock: 0, device: 0)

  public var milliseconds: UInt64 { clock >> 16 }

  public static func < (lhs: Version, rhs: Version) -> Bool {
    lhs.clock != rhs.clock ? lhs.clock < rhs.clock : lhs.device < rhs.device
  }
}
