/// What a text in a report means for the reader.
package enum Tone: Sendable, CaseIterable {
  case plain
  case good
  case bad
  case doubtful
  case strong
}

/// Whether tones are shown by colour; the caller knows whether a terminal reads along.
package enum TextStyle: Sendable, CaseIterable {
  case plain
  case ansi

  package func paint(_ text: String, _ tone: Tone) -> String {
    guard self == .ansi, let code = tone.code else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}

extension Tone {
  /// The parameter of "select graphic rendition" (ECMA-48, 8.3.117).
  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .good: "32"
    case .bad: "31"
    case .doubtful: "33"
    case .strong: "1"
    }
  }
}
