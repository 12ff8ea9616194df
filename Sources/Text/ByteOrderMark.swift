/// What may stand before a text to say how it is encoded.
///
/// UTF-8 has one order of bytes only, so its mark says nothing, and is dropped; editors write it all the same.
/// Source: the Unicode Standard, section 23.8.
package enum ByteOrderMark: Hashable, Sendable {
  case utf8, utf16, utf32

  /// The most bytes of a mark.
  package static let most = 4

  /// `nil` where there is none: a text in UTF-8 may begin with a byte of the mark, as `ｋ` does.
  ///
  /// - Parameter head: the first ``most`` bytes of a file, fewer only of a shorter one.
  package init?(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.most))
    func begins(_ mark: UInt8...) -> Bool { head.starts(with: mark) }
    if begins(0xEF, 0xBB, 0xBF) {
      self = .utf8
    } else if begins(0xFF, 0xFE, 0, 0) || begins(0, 0, 0xFE, 0xFF) {
      self = .utf32
    } else if begins(0xFF, 0xFE) || begins(0xFE, 0xFF) {
      self = .utf16
    } else {
      return nil
    }
  }

  /// How many bytes stand before a text in UTF-8.
  ///
  /// - Parameter head: as ``init(head:)`` takes it.
  /// - Returns: 0 or 3.
  /// - Throws: ``ForeignEncoding`` where a mark says that the text is not UTF-8.
  package static func length(in head: some Collection<UInt8>) throws(ForeignEncoding) -> Int {
    switch ByteOrderMark(head: head) {
    case nil: return 0
    case .utf8?: return 3
    case let other?: throw ForeignEncoding(mark: other)
    }
  }

  /// How the encoding is called.
  package var encoding: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16: "UTF-16"
    case .utf32: "UTF-32"
    }
  }
}

/// A text that is not UTF-8, by its own mark.
package struct ForeignEncoding: Error, Hashable, Sendable, CustomStringConvertible {
  package let mark: ByteOrderMark

  /// The cause and the remedy, without a place.
  package var description: String {
    "its text is \(mark.encoding), and UTF-8 is read; save it as UTF-8, or convert it: "
      + "iconv -f \(mark.encoding) -t UTF-8"
  }
}
