import CacheModel
import Foundation

/// The meaning of header fields, from the grammar of RFC 9110 and RFC 9111 alone: slow, and each rule a pattern.
enum FieldModel {
  // RFC 9110, sections 5.6.2, 5.6.3 and 5.6.4. A line is one member of what its lines say together.
  private static let token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
  private static let quoted =
    "\"(?:[\\t \\x21\\x23-\\x5B\\x5D-\\x7E\\x{80}-\\x{10FFFF}]|\\\\[\\t \\x21-\\x7E\\x{80}-\\x{10FFFF}])*\""
  private static let space = "[ \\t]*"

  /// Section 5.6.1.2: `[ element ] *( OWS "," OWS [ element ] )`.
  private static func list(of element: String) -> String {
    "\(space)(?:\(element))?(?:\(space),\(space)(?:\(element))?)*\(space)"
  }

  private static func matches(_ pattern: String, _ text: String) -> Bool {
    groups(pattern, text) != nil
  }

  /// The groups of a pattern that is all of a text.
  private static func groups(_ pattern: String, _ text: String) -> [String?]? {
    guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else {
      return nil
    }
    let whole = NSRange(text.startIndex..., in: text)
    guard let match = expression.firstMatch(in: text, range: whole) else { return nil }
    return (0..<match.numberOfRanges).map { index in
      Range(match.range(at: index), in: text).map { String(text[$0]) }
    }
  }

  private static func all(_ pattern: String, in text: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
      Range($0.range, in: text).map { String(text[$0]) }
    }
  }

  struct Directive: Hashable {
    var name: String
    var argument: String?
  }

  /// RFC 9111, section 5.2: `token [ "=" ( token / quoted-string ) ]`.
  static func directives(_ value: String) -> [Directive]? {
    let directive = "\(token)(?:=(?:\(token)|\(quoted)))?"
    guard matches(list(of: directive), value) else { return nil }
    return all(directive, in: value).map { text in
      let parts = groups("(\(token))(?:=(.*))?", text) ?? []
      var argument = parts.count > 2 ? parts[2] : nil
      if argument?.hasPrefix("\"") == true {
        argument = all("\\\\.|[^\\\\]", in: String(argument?.dropFirst().dropLast() ?? ""))
          .map { $0.count == 2 ? String($0.suffix(1)) : $0 }.joined()
      }
      return Directive(name: (parts[1] ?? "").lowercased(), argument: argument)
    }
  }

  static func tokens(_ value: String) -> [String]? {
    matches(list(of: token), value) ? all(token, in: value) : nil
  }

  /// RFC 9111, section 5.1, of the first member.
  static func age(_ value: String) -> Duration? {
    guard let digits = groups("[ \\t,]*([0-9]+)[ \\t]*(?:,.*)?", value)?[1] else { return nil }
    let significant = digits.drop { $0 == "0" }
    guard significant.count <= 10 else { return .seconds(1 << 31) }
    return .seconds(min(Int64(significant) ?? 0, 1 << 31))
  }

  // RFC 9110, section 5.6.7.
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
  private static let longDay = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
  private static let month = "(\(months.joined(separator: "|")))"
  private static let time = "([0-9]{2}):([0-9]{2}):([0-9]{2})"

  static func date(_ text: String, near now: Date) -> Date? {
    if let parts = groups("\(day), ([0-9]{2}) \(month) ([0-9]{4}) \(time) GMT", text) {
      return date(parts, [3, 2, 1, 4, 5, 6], near: now)
    }
    if let parts = groups("\(longDay), ([0-9]{2})-\(month)-([0-9]{2}) \(time) GMT", text) {
      return date(parts, [3, 2, 1, 4, 5, 6], near: now)
    }
    if let parts = groups("\(day) \(month) ([0-9]{2}| [0-9]) \(time) ([0-9]{4})", text) {
      return date(parts, [6, 1, 2, 3, 4, 5], near: now)
    }
    return nil
  }

  /// The order says which groups are year, month, day, hour, minute and second.
  private static func date(_ groups: [String?], _ order: [Int], near now: Date) -> Date? {
    let texts = order.map { (groups[$0] ?? "").trimmingCharacters(in: .whitespaces) }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let month = (months.firstIndex(of: texts[1]) ?? 0) + 1
    let numbers = texts.map { Int($0) ?? 0 }
    guard numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60 else { return nil }
    func date(inYear year: Int) -> Date? {
      let components = DateComponents(
        calendar: calendar, year: year, month: month, day: numbers[2])
      guard components.isValidDate, let midnight = calendar.date(from: components) else {
        return nil
      }
      let seconds = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
      return midnight.addingTimeInterval(Double(seconds))
    }
    guard texts[0].count == 2 else { return date(inYear: numbers[0]) }
    let latest = calendar.date(byAdding: .year, value: 50, to: now) ?? now
    return [2_000, 1_900].compactMap { date(inYear: $0 + numbers[0]) }.first { $0 <= latest }
  }
}
