import CacheModel
import Text

/// Numbers and sentences as people read them.
enum Words {
  static func count(_ count: Int, _ singular: String) -> String {
    "\(grouped(count)) \(count == 1 ? singular : Plural.of(singular))"
  }

  static func grouped(_ count: Int) -> String {
    let digits = Array("\(count.magnitude)".utf8)
    var text = count < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text
  }

  /// Three digits that count.
  static func number(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    let magnitude = abs(value)
    let scale = magnitude >= 100 ? 1.0 : magnitude >= 10 ? 10 : magnitude >= 1 ? 100 : 1_000
    let rounded = (value * scale).rounded() / scale
    return Int(exactly: rounded).map(grouped) ?? "\(rounded)"
  }

  static func share(_ value: Double) -> String {
    let percent = (value * 1_000).rounded() / 10
    return "\(Int(exactly: percent).map { "\($0)" } ?? "\(percent)") %"
  }

  static func size(_ bytes: Int) -> String {
    let units: [(name: String, factor: Double)] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
    let unit = units.first { Double(bytes) >= $0.factor }
    return unit.map { "\(number(Double(bytes) / $0.factor)) \($0.name)" } ?? "\(bytes) B"
  }

  static func duration(_ duration: Duration) -> String {
    duration.wholeNanoseconds == 0
      ? "0 s" : Dimension.duration.text(of: Double(duration.wholeNanoseconds))
  }

  /// By the longest period in which there is one at least.
  static func rate(_ perSecond: Double) -> String {
    let units: [(name: String, seconds: Double)] = [
      ("/s", 1), ("/min", 60), ("/h", 3_600), ("/d", 86_400),
    ]
    let unit = units.first { perSecond * $0.seconds >= 1 } ?? ("/d", 86_400)
    return "\(number(perSecond * unit.seconds))\(unit.name)"
  }

  static func value(_ value: Double, _ dimension: Dimension) -> String {
    switch dimension {
    case .rate: rate(value)
    case .share: share(value)
    case .size: size(Int(value))
    case .duration: "\(number(value / 1e9)) s"
    case .bandwidth, .count, .number: number(value)
    }
  }

  static func list(_ words: [String]) -> String {
    words.count < 2
      ? words.first ?? ""
      : words.dropLast().joined(separator: ", ") + " and \(words[words.count - 1])"
  }

  /// Lines no longer than a width, broken at spaces.
  static func wrapped(_ text: String, indent: Int, width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      if line.count + word.count + 1 > width, line.count > indent {
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
