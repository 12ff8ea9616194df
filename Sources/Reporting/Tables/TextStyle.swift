import Text

/// The meaning of a text in a report for the reader.
package enum Tone: Sendable, CaseIterable {
  case plain
  case good
  case bad
  case doubtful
  case strong
}

/// How text is adapted to its output; the caller knows whether that is a terminal.
package struct TextStyle: Sendable {
  /// Whether tones are shown by colour.
  package var isColoured: Bool
  /// The number of characters per line.
  package var width: Int

  /// The number of characters per line that every terminal shows.
  package static let usualWidth = 80

  package static let plain = TextStyle()
  package static let ansi = TextStyle(isColoured: true)

  package init(isColoured: Bool = false, width: Int = usualWidth) {
    self.isColoured = isColoured
    self.width = width
  }

  /// Returns a text of several lines that is safe for a terminal: except for line feeds and this style's own
  /// colours, invisible characters are shown by their numbers.
  package func legible(_ text: String) -> String {
    var shown = ""
    var plain = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    func end(with mark: String) {
      shown += String(plain).legible + mark
      plain = String.UnicodeScalarView()
    }
    while let scalar = rest.first {
      if scalar == "\n" {
        end(with: "\n")
        rest.removeFirst()
      } else if scalar == "\u{1B}",
        let mark = marks.first(where: { rest.starts(with: $0.unicodeScalars) })
      {
        end(with: mark)
        rest.removeFirst(mark.unicodeScalars.count)
      } else {
        plain.append(scalar)
        rest.removeFirst()
      }
    }
    end(with: "")
    return shown
  }

  /// Returns the text with long lines wrapped between words, with continuation lines indented.
  ///
  /// Tables fit by themselves; this is for sentences.
  package func fitted(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let margin = line.prefix { $0 == " " }
      return WrappedText.lines(
        String(line.dropFirst(margin.count)), width: width, head: String(margin),
        indent: Self.indent(below: line)
      ).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Returns the indentation of continuation lines: after the line's label, if it has one, otherwise a little
  /// further in.
  private static func indent(below line: Substring) -> Int {
    let margin = line.prefix { $0 == " " }.count
    let label = line.dropFirst(margin).prefix(16)
    if let gap = label.firstRange(of: "  ") {
      return line.distance(from: line.startIndex, to: gap.lowerBound)
        + line[gap.lowerBound...].prefix { $0 == " " }.count
    }
    return margin + 2
  }

  /// The control sequences that a text of this style may contain.
  private var marks: [String] {
    isColoured ? (Tone.allCases.compactMap(\.code) + ["0"]).map { "\u{1B}[\($0)m" } : []
  }

  package func paint(_ text: String, _ tone: Tone) -> String {
    guard isColoured, let code = tone.code else { return text }
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
