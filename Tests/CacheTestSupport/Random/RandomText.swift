package import CacheModel
import Foundation

/// Texts as keys: many are equal in Swift and differ in bytes, or look the same.
package enum RandomText {
  /// What texts are made of: both normal forms, scalars of one to four bytes, what has no shape, what ends a text in C.
  private static let parts = [
    "a", "A", "K", "\u{212A}", "7", " ", "/", ".", "\"", "\\", "'", "%", "#", ",", "ß", "家",
    "\u{FFFD}",
    // Letters with marks: composed, decomposed, with marks in either order.
    "\u{E9}", "e\u{301}", "\u{C5}", "A\u{30A}", "\u{212B}", "\u{1E69}", "s\u{323}\u{307}",
    "s\u{307}\u{323}", "\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{301}",
    // Four bytes: a letter, one with a decomposition, a family, the last scalar.
    "𝄞", "\u{1D15E}", "👩\u{200D}👧", "\u{10FFFF}",
    // Direction, joiners, nothing, lines, controls.
    "\u{202E}", "\u{2066}", "\u{200F}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{34F}",
    "\u{FE0F}", "\u{2028}", "\n", "\r\n", "\t", "\u{1}", "\u{7F}", "\u{85}",
  ]

  /// A text, of which one in thirty is empty and one in thirty long.
  package static func text(_ random: inout RandomSource) -> String {
    let draw = random.below(30)
    let count = draw == 0 ? 0 : draw == 1 ? 500 : 1 + random.below(6)
    return (0..<count).map { _ in parts[random.below(parts.count)] }.joined()
  }

  /// Texts of which no two have the same bytes, each followed by other spellings of it.
  ///
  /// - Parameters:
  ///   - count: how many at least.
  ///   - hasNUL: whether there are some with a NUL character, alike up to it.
  ///   - random: the source of the draws.
  /// - Returns: the texts; the first two are `café` in both normal forms.
  package static func distinct(
    _ count: Int, hasNUL: Bool = false, _ random: inout RandomSource
  ) -> [String] {
    var known: Set<[UInt8]> = []
    var texts: [String] = []
    func add(_ text: String) {
      if known.insert(Array(text.utf8)).inserted { texts.append(text) }
    }
    add("caf\u{E9}")
    add("cafe\u{301}")
    while texts.count < count {
      let text = text(&random)
      add(text)
      add(text.precomposedStringWithCanonicalMapping)
      add(text.decomposedStringWithCanonicalMapping)
      // Texts that look the same.
      add(text + "\u{200B}")
      if hasNUL {
        add(text + "\0")
        add(text + "\0" + parts[random.below(parts.count)])
      }
    }
    return texts
  }

  /// JSON strings of which no text can be made: surrogates without their other half.
  package static let unpairedInJSON = [
    #""\ud800""#, #""\udc00""#, #""a\ud83db""#, #""\ude00\ud83d""#, #""\ud83d\u0041""#,
  ]
}

extension String {
  /// Its form as a key.
  package var bytes: [UInt8] { Array(utf8) }
}

/// How often a test tries at random.
///
/// A few times among the other tests; as often as its promise says where `make check-long` asks for it
/// (`TIDEMARK_TRIALS=all`).
package enum Trials {
  private static let areAll = ProcessInfo.processInfo.environment["TIDEMARK_TRIALS"] == "all"

  package static func count(_ few: Int, of all: Int) -> Int { areAll ? all : few }
}
