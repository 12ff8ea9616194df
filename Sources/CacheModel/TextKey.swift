/// A text that names something: one name is another only if their bytes in UTF-8 are the same.
///
/// `String` compares by canonical equivalence (Unicode Standard Annex 15): `é` as one scalar equals `é` as
/// two. Files, SQLite and servers compare bytes. A text that is looked up in memory and stored elsewhere is
/// therefore looked up by this type.
@usableFromInline
package struct TextKey: Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// As it was given, normal form included.
  package let text: String

  /// - Complexity: O(1) where the text is in memory as UTF-8, as every text on Linux is; else O(bytes).
  @usableFromInline package init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  @usableFromInline package init(stringLiteral text: String) { self.init(text) }

  @usableFromInline package var description: String { text }

  @usableFromInline package static func == (lhs: TextKey, rhs: TextKey) -> Bool {
    lhs.text.utf8.elementsEqual(rhs.text.utf8)
  }

  /// The order of the bytes, which is that of the scalars.
  @usableFromInline package static func < (lhs: TextKey, rhs: TextKey) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  /// Texts of the same bytes are equal in Swift too, so its own hash will do.
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
