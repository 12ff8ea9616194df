/// Names of up to twelve letters, packed five bits a letter.
///
/// `a` is 1 and `z` 26; 0 ends the name. The first letter stands in bits 59...55, so the order of
/// codes is the order of names and a prefix is a range of codes.
package enum LetterCode {
  package static let maximumLetters = 12
  package static let bitsPerLetter = 5

  /// The code of a name; `nil` if it is longer than twelve letters or has any but `a`...`z`.
  package static func encode(_ name: some StringProtocol) -> UInt64? {
    var code: UInt64 = 0
    var count = 0
    for byte in name.utf8 {
      guard count < maximumLetters, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") else {
        return nil
      }
      code |= UInt64(byte - UInt8(ascii: "a") + 1) << shift(ofLetter: count)
      count += 1
    }
    return code
  }

  /// The letters of a code.
  package static func decode(_ code: UInt64) -> String {
    var text = ""
    for letter in 0..<maximumLetters {
      let value = UInt8(truncatingIfNeeded: code >> shift(ofLetter: letter)) & 31
      guard value >= 1, value <= 26 else { break }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + value - 1))
    }
    return text
  }

  /// How many letters a code has.
  package static func letterCount(_ code: UInt64) -> Int {
    let usedBits = 60 - min(60, code.trailingZeroBitCount)
    return code == 0 ? 0 : (usedBits + bitsPerLetter - 1) / bitsPerLetter
  }

  /// The first letters of a code, still left-aligned.
  package static func prefix(_ code: UInt64, letters: Int) -> UInt64 {
    let kept = min(max(letters, 0), maximumLetters)
    let width = UInt64(bitsPerLetter * (maximumLetters - kept))
    return (code >> width) << width
  }

  /// The codes of all names that begin with a left-aligned prefix.
  package static func range(ofPrefix prefix: UInt64, letters: Int) -> Range<UInt64> {
    let kept = min(max(letters, 0), maximumLetters)
    let first = Self.prefix(prefix & 0x0FFF_FFFF_FFFF_FFFF, letters: kept)
    return first..<first + (1 << UInt64(bitsPerLetter * (maximumLetters - kept)))
  }

  private static func shift(ofLetter letter: Int) -> UInt64 {
    UInt64(60 - bitsPerLetter * (letter + 1))
  }
}
