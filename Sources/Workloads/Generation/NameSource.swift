import CacheModel

/// File names out of syllables, so that a prefix search finds a plausible number of files.
///
/// A name is three to six syllables of a consonant and a vowel. Common syllables are commoner than
/// rare ones (Zipf with exponent 0.7 over 80 of them; an assumption), so three letters leave from
/// about 1 file in 100 to 1 in several thousand.
struct NameSource: Sendable {
  private static let consonants = Array("rtnslcdpmbghfvkz".utf8)
  private static let vowels = Array("eaiou".utf8)
  private let syllables = Zipf(count: 80, exponent: 0.7)

  func name(_ random: inout RandomSource) -> UInt64 {
    var code: UInt64 = 0
    let count = 3 + random.below(4)
    for syllable in 0..<count {
      let rank = syllables.sample(&random)
      let letters = [Self.consonants[rank % 16], Self.vowels[rank / 16]]
      for (index, letter) in letters.enumerated() {
        let shift = UInt64(60 - LetterCode.bitsPerLetter * (2 * syllable + index + 1))
        code |= UInt64(letter - UInt8(ascii: "a") + 1) << shift
      }
    }
    return code
  }
}
