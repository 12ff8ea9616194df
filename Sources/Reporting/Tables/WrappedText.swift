package enum WrappedText {
  /// Wraps a paragraph between words.
  ///
  /// A number keeps its unit and its ± on the same line. Only a word that exceeds a line is broken.
  ///
  /// - Parameters:
  ///   - text: the paragraph; it may contain colours.
  ///   - width: the characters per line.
  ///   - head: the text at the beginning of the first line.
  ///   - indent: the indentation of all other lines.
  /// - Returns: at least one line.
  package static func lines(
    _ text: String, width: Int, head: String = "", indent: Int = 0
  ) -> [String] {
    guard head.count + visible(text) > width else { return [head + text] }
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var (line, taken, isEmpty) = (head, head.count, true)
    func next() {
      lines.append(line)
      (line, taken, isEmpty) = (margin, indent, true)
    }
    for part in parts(of: text) {
      let gap = isEmpty ? 0 : part.gap
      if !isEmpty, taken + gap + visible(part.word) > width { next() }
      line += String(repeating: " ", count: isEmpty ? 0 : part.gap)
      taken += isEmpty ? 0 : part.gap
      var rest = part.word[...]
      while taken + visible(rest) > width, width > indent {
        let room = max(0, width - taken)
        line += rest.prefix(room)
        rest = rest.dropFirst(room)
        next()
      }
      line += rest
      taken += visible(rest)
      isEmpty = false
    }
    return lines + [line]
  }

  /// Wraps a paragraph next to a label.
  ///
  /// - Parameters:
  ///   - label: the label.
  ///   - text: the paragraph.
  ///   - indent: the beginning of the paragraph; on a line of its own if the label is longer.
  ///   - width: the characters per line.
  /// - Returns: at least one line.
  package static func labelled(
    _ label: String, _ text: String, indent: Int, width: Int
  ) -> [String] {
    let gap = indent - label.count
    guard gap > 0 else {
      return [label]
        + lines(text, width: width, head: String(repeating: " ", count: indent), indent: indent)
    }
    return lines(
      text, width: width, head: label + String(repeating: " ", count: gap), indent: indent)
  }

  /// Returns the length of the longest part that is never broken.
  static func longestPart(of text: String) -> Int {
    parts(of: text).map { visible($0.word) }.max() ?? 0
  }

  // MARK: Words

  /// Splits a text into parts that are never broken, each with its preceding spaces.
  private static func parts(of text: String) -> [(gap: Int, word: String)] {
    var parts: [(gap: Int, word: String)] = []
    var gap = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      guard !word.isEmpty else {
        gap += 1
        continue
      }
      if let last = parts.last, gap == 1, belongs(word, to: last.word) {
        parts[parts.count - 1].word += " " + word
      } else {
        parts.append((gap, String(word)))
      }
      gap = 1
    }
    return parts
  }

  private static let units: Set<Substring> = [
    "±", "×", "%", "points", "ns", "µs", "ms", "s", "min", "h", "d", "B", "kB", "MB", "GB", "TB",
    "entities", "queries", "seeds", "users",
    "/s", "k/s", "M/s",
  ]

  /// Returns whether a word is the unit of a number, or the number after a sign.
  private static func belongs(_ word: Substring, to last: String) -> Bool {
    if last.hasSuffix("±") || last.hasSuffix("≤") || last.hasSuffix("≥") { return true }
    guard last.last.map({ $0.isNumber || $0 == "%" }) ?? false else { return false }
    return units.contains(word.prefix { !",;.:)".contains($0) })
  }

  /// Returns the number of visible characters: colours take none.
  private static func visible(_ text: some StringProtocol) -> Int {
    guard text.unicodeScalars.contains("\u{1B}") else { return text.count }
    var (count, isCode) = (0, false)
    for character in text {
      if character == "\u{1B}" {
        isCode = true
      } else if isCode {
        isCode = character != "m"
      } else {
        count += 1
      }
    }
    return count
  }
}
