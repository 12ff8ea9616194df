/// Text of a file or of a command line, made fit for a message: whoever wrote it shall not move the
/// reader's cursor, ring the bell, turn the direction of writing, or begin a line of the message.
extension String {
  /// The same text with numbers, `\u{1B}`, instead of control characters, of characters without a shape
  /// and of breaks of a line; O(length).
  package var legible: String {
    guard unicodeScalars.contains(where: \.isIllegible) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      if scalar.isIllegible {
        shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// The beginning of the text, legible: an error message repeats at most this much of a hostile file.
  package var excerpt: String {
    // Scalars, since one character may be of any length.
    let head = unicodeScalars.prefix(60)
    return String(head).legible + (head.endIndex < unicodeScalars.endIndex ? "…" : "")
  }
}

extension Unicode.Scalar {
  /// Of the categories Cc, Cf, Zl and Zp, or of what Unicode would have shown as nothing where it is not known:
  /// fillers, joiners and selectors, by which two names may differ that look the same.
  ///
  /// Source: Unicode Character Database, `Default_Ignorable_Code_Point`.
  fileprivate var isIllegible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
