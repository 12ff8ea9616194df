/// FNV-1a, 64 bits (draft-eastlake-fnv): tells contents apart, is no protection against an attacker.
package struct Fingerprint: Hashable, Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package init(of bytes: some Sequence<UInt8>) { combine(bytes) }

  package mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }

  /// Adds a text and its end, so that two texts are not taken for one.
  package mutating func combine(_ text: String) {
    combine(text.utf8)
    combine(CollectionOfOne(0xff))
  }

  /// Sixteen hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A number below a bound that follows from the content.
  package func below(_ bound: UInt64) -> UInt64 { value % bound }
}
