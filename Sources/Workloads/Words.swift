import CacheModel
package import Text

/// Readable numbers and sentences.
///
/// Declared numbers keep their digits; derived or measured ones are prefixed with `about`.
package enum Words {
  package static func count(_ count: Int, _ singular: String) -> String {
    "\(grouped(count)) \(count == 1 ? singular : Plural.of(singular))"
  }

  /// Returns a mean count, which need not be whole.
  package static func count(_ count: Double, _ singular: String) -> String {
    "\(number(count)) \(count == 1 ? singular : Plural.of(singular))"
  }

  /// Returns a word with its indefinite article.
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

  /// Returns a number as written, without rounding noise after the twelfth digit.
  package static func number(_ value: Double) -> String { number(value, digits: 12) }

  /// Returns a number with three significant digits.
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
    // Near all or none the exact share is irrelevant.
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

  /// Returns a duration in the largest unit in which it is at least one.
  package static func about(seconds: Double) -> String {
    let units = [("d", 86_400.0), ("h", 3_600), ("min", 60), ("s", 1), ("ms", 1e-3), ("µs", 1e-6)]
    let unit = units.first { seconds >= $0.1 } ?? ("s", 1)
    return "\(about(seconds / unit.1)) \(unit.0)"
  }

  /// Returns a rate by the period with the shortest number.
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

  /// Returns a measured figure in the dimension of a declared one.
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

  /// Returns a sentence with a capital first letter.
  package static func sentence(_ text: String) -> String {
    guard let first = text.first else { return text }
    return first.uppercased() + text.dropFirst()
  }

  /// Splits a text into words, keeping a number and its unit together.
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

  /// Wraps lines at a width, at spaces.
  package static func wrapped(_ text: String, indent: Int, width: Int) -> [String] {
    // The text's own indentation applies to all of its lines.
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
