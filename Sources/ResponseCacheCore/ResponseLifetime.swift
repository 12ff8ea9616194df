package import CacheModel

/// How long an answer is fresh, as its header says (RFC 9111, HTTP Caching).
package struct ResponseLifetime: Hashable, Sendable {
  /// `max-age`, whole.
  package var maximumAge: Duration
  /// How old the answer was when it arrived.
  package var age: Duration
  /// Whether it must not be used without asking, whatever its age: `no-cache`, `Vary: *`.
  package var needsAsking: Bool

  package init(maximumAge: Duration, age: Duration = .zero, needsAsking: Bool = false) {
    self.maximumAge = maximumAge
    self.age = age
    self.needsAsking = needsAsking
  }

  /// When the answer becomes stale.
  package func staleAt(arrival: Instant) -> Instant {
    needsAsking ? arrival : arrival.advanced(by: maximumAge - age)
  }
}

/// The fields of a header that matter to a cache, read as RFC 9111 says.
package struct CacheFields: Hashable, Sendable {
  /// The smallest `max-age`; one that cannot be read counts as none of it (section 4.2.1).
  package var maximumAge: Duration?
  package var forbidsStoring = false
  package var needsAsking = false
  private var age: Duration = .zero
  private var date: Instant?

  /// Those of an answer that says nothing but this, in whole seconds.
  package init(maximumAge: Duration) {
    self.maximumAge = maximumAge
  }

  /// The largest number of seconds that is told apart (section 1.2.2).
  private static let maximumSeconds: UInt64 = 1 << 31

  /// - Parameter fields: names and values, in any case, each name as often as it came.
  package init(_ fields: [(name: String, value: String)]) {
    for (name, value) in fields {
      switch name.lowercased() {
      case "cache-control": for directive in Self.elements(of: value) { take(directive) }
      // The first, where there are several; none where it is no number (section 5.1).
      case "age":
        if age == .zero, let seconds = Self.seconds(value) { age = .seconds(seconds) }
      case "date": if date == nil { date = HTTPDate.instant(value) }
      case "vary": if Self.elements(of: value).contains("*") { needsAsking = true }
      default: break
      }
    }
  }

  /// How long an answer with these fields is fresh; `nil`: it may not be stored.
  ///
  /// - Parameters:
  ///   - asked: when the request was sent.
  ///   - arrival: when the answer arrived.
  ///   - fallback: what holds where nothing is said, for an answer that renews another.
  /// - Returns: the lifetime, with the age that counts against it.
  package func lifetime(
    asked: Instant, arrival: Instant, fallback: Duration? = nil
  ) -> ResponseLifetime? {
    guard let maximumAge = maximumAge ?? fallback, !forbidsStoring else { return nil }
    return ResponseLifetime(
      maximumAge: maximumAge, age: currentAge(asked: asked, arrival: arrival),
      needsAsking: needsAsking)
  }

  /// Section 4.2.3: by the clocks of caches on the way, and by the server's, whichever says more.
  private func currentAge(asked: Instant, arrival: Instant) -> Duration {
    let delay = max(asked.duration(to: arrival), .zero)
    let apparent = date.map { max($0.duration(to: arrival), .zero) } ?? .zero
    return max(apparent, age + delay)
  }

  private mutating func take(_ directive: Substring) {
    let parts = directive.split(separator: "=", maxSplits: 1)
    let name = parts.first.map { Self.trimmed($0).lowercased() } ?? ""
    switch name {
    case "no-store": forbidsStoring = true
    // With names of fields it is about those only; asking is never wrong.
    case "no-cache": needsAsking = true
    case "max-age":
      let seconds = parts.count == 2 ? Self.seconds(String(parts[1])) : nil
      let age = Duration.seconds(seconds ?? 0)
      maximumAge = min(maximumAge ?? age, age)
    default: break
    }
  }

  /// The elements of a list, without the commas in quotes.
  private static func elements(of value: String) -> [Substring] {
    var isQuoted = false
    return value.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }.map(trimmed)
  }

  /// A number of seconds, with or without quotes; clamped; `nil`: it is none.
  private static func seconds(_ text: String) -> UInt64? {
    var digits = trimmed(text[...])
    if digits.count >= 2, digits.hasPrefix("\""), digits.hasSuffix("\"") {
      digits = digits.dropFirst().dropLast()
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(UInt64(digits) ?? maximumSeconds, maximumSeconds)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = text.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}

/// Dates of headers, in the one form that servers must send (RFC 9110, section 5.6.7).
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The instant of `Wed, 28 Aug 2019 12:52:42 GMT`; `nil`: in another form, or no date.
  static func instant(_ text: String) -> Instant? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = number(words[1], digits: 2),
      let month = months.firstIndex(of: String(words[2])), let year = number(words[3], digits: 4)
    else { return nil }
    let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, let hour = number(time[0], digits: 2),
      let minute = number(time[1], digits: 2), let second = number(time[2], digits: 2),
      (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = days(year: year, month: month + 1, day: day)
    let seconds = Int64(((days * 24 + hour) * 60 + minute) * 60 + second)
    return Instant.zero.advanced(by: .seconds(seconds))
  }

  /// Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that leap days end them.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
