import CacheModel
package import Text

/// Numbers and sentences as people read them.
///
/// What is declared is read back with the digits that it was declared with; what is derived or measured is
/// `about` as much.
package enum Words {
  package static func count(_ count: Int, _ singular: String) -> String {
    "\(grouped(count)) \(count == 1 ? singular : Plural.of(singular))"
  }

  /// A mean count, which need not be whole.
  package static func count(_ count: Double, _ singular: String) -> String {
    "\(number(count)) \(count == 1 ? singular : Plural.of(singular))"
  }

  /// A word with its article.
  package static func a(_ noun: String) -> String {
    let bytes = Array(noun.utf8)
    let isVowel = bytes.first.map { "aeiou".utf8.contains($0) } ?? false
    // A user, a unit; an update.
    let isSpokenWithY = ["us", "uni", "uti", "eu", "one"].contains { noun.hasPrefix($0) }
    return "\(isVowel && !isSpokenWithY || noun.hasPrefix("hour") ? "an" : "a") \(noun)"
  }

  package static func grouped(_ count: Int) -> String {
    let digits = Array("\(count.magnitude)".utf8)
    var text = count < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text
  }

  /// As it was written, without what arithmetic leaves behind the twelfth digit.
  package static func number(_ value: Double) -> String { number(value, digits: 12) }

  /// Three digits that count.
  package static func about(_ value: Double) -> String { number(value, digits: 3) }

  private static func number(_ value: Double, digits: Int) -> String {
    guard value != 0, value.isFinite else { return value == 0 ? "0" : "\(value)" }
    var scale = 1.0
    var decimals = 0
    var most = 1.0
    for _ in 1..<digits { most *= 10 }
    while abs(value) * scale < most, decimals < 12 {
      scale *= 10
      decimals += 1
    }
    let rounded = (value * scale).rounded() / scale
    return Int(exactly: rounded).map(grouped) ?? "\(rounded)"
  }

  package static func share(_ value: Double) -> String { "\(number(value * 100)) %" }

  package static func aboutShare(_ value: Double) -> String {
    // Of nearly all and nearly none the exact share adds nothing.
    value > 0.9995 && value < 1
      ? "nearly 100 %" : value > 0 && value < 0.0005 ? "nearly 0 %" : "\(about(value * 100)) %"
  }

  package static func size(_ bytes: Int) -> String { size(bytes) { number($0) } }

  package static func aboutSize(_ bytes: Int) -> String { size(bytes) { about($0) } }

  private static func size(_ bytes: Int, _ number: (Double) -> String) -> String {
    let units: [(name: String, factor: Double)] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
    let unit = units.first { Double(bytes) >= $0.factor }
    return unit.map { "\(number(Double(bytes) / $0.factor)) \($0.name)" } ?? "\(bytes) B"
  }

  package static func duration(_ duration: Duration) -> String {
    let nanoseconds = duration.wholeNanoseconds
    // Below a millisecond the largest unit without a fraction would make a long number: 1.939 ms, not 1939 µs.
    guard nanoseconds != 0, nanoseconds % 1_000_000 != 0 else {
      return nanoseconds == 0 ? "0 s" : Dimension.duration.text(of: Double(nanoseconds))
    }
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
    let unit = units.first { Double(abs(nanoseconds)) >= $0.1 } ?? ("ns", 1)
    return "\(number(Double(nanoseconds) / unit.1)) \(unit.0)"
  }

  /// In the largest unit of which there is one at least.
  package static func about(seconds: Double) -> String {
    let units = [("d", 86_400.0), ("h", 3_600), ("min", 60), ("s", 1), ("ms", 1e-3), ("µs", 1e-6)]
    let unit = units.first { seconds >= $0.1 } ?? ("s", 1)
    return "\(about(seconds / unit.1)) \(unit.0)"
  }

  /// By the period in which the figure is the shortest.
  package static func rate(_ perSecond: Double) -> String {
    let units: [(name: String, seconds: Double)] = [
      ("/s", 1), ("/min", 60), ("/h", 3_600), ("/d", 86_400),
    ]
    let texts = units.filter { perSecond * $0.seconds >= 0.999_999 || $0.name == "/d" }
      .map { number(perSecond * $0.seconds) + $0.name }
    func length(_ text: String) -> Int { text.utf8.prefix { $0 != UInt8(ascii: "/") }.count }
    return texts.min { length($0) < length($1) } ?? "0/s"
  }

  package static func aboutRate(_ perSecond: Double) -> String {
    let units: [(name: String, seconds: Double)] = [
      ("/s", 1), ("/min", 60), ("/h", 3_600), ("/d", 86_400),
    ]
    let unit = units.first { perSecond * $0.seconds >= 1 } ?? ("/d", 86_400)
    return "\(about(perSecond * unit.seconds))\(unit.name)"
  }

  /// A measured figure, of the kind of a declared one.
  package static func value(_ value: Double, _ dimension: Dimension) -> String {
    switch dimension {
    case .rate: aboutRate(value)
    case .share: "\(about(value * 100)) %"
    case .size: aboutSize(Int(value))
    case .duration: about(seconds: value / 1e9)
    case .bandwidth, .count, .number: about(value)
    }
  }

  package static func list(_ words: [String], _ last: String = "and") -> String {
    words.count < 2
      ? words.first ?? ""
      : words.dropLast().joined(separator: ", ") + " \(last) \(words[words.count - 1])"
  }

  /// A sentence begins with a capital letter.
  package static func sentence(_ text: String) -> String {
    guard let first = text.first else { return text }
    return first.uppercased() + text.dropFirst()
  }

  /// Words, a figure with its unit as one.
  private static func unbroken(_ text: String) -> [String] {
    let units = ["%", "ns", "µs", "ms", "s", "min", "h", "d", "B", "kB", "MB", "GB"]
    return text.split(separator: " ").reduce(into: []) { words, word in
      let unit = word.prefix { !",;:./)".contains($0) }
      let isBehindFigure = words.last?.last.map { ("0"..."9").contains($0) } ?? false
      if isBehindFigure, units.contains(String(unit)) {
        words[words.count - 1] += " \(word)"
      } else {
        words.append(String(word))
      }
    }
  }

  /// Lines no longer than a width, broken at spaces.
  package static func wrapped(_ text: String, indent: Int, width: Int) -> [String] {
    // What a text is itself indented by, the whole of it is.
    let own = text.prefix { $0 == " " }.count
    let margin = String(repeating: " ", count: indent + own)
    var lines: [String] = []
    var line = margin
    for word in unbroken(text) {
      if line.count + word.count + 1 > width, line.contains(where: { $0 != " " }) {
        lines.append(line)
        line = margin + "  "
      }
      if line.last != " " { line += " " }
      line += word
    }
    lines.append(line)
    return lines
  }
}
