package import CacheModel

/// When a stored answer may be used without validation, apart from its age.
package enum ResponsePermission: UInt8, Hashable, Sendable, Comparable {
  /// Whenever it is fresh, and stale if no server answers.
  case always
  /// Only while it is fresh: `must-revalidate`.
  case whileFresh
  /// Never: `no-cache`, `Vary: *`, or a later request may have changed it.
  case afterAsking

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The freshness lifetime of an answer by its header (RFC 9111, section 4.2).
package struct ResponseLifetime: Hashable, Sendable {
  package var maximumAge: Duration
  /// The age of the answer on arrival.
  package var age = Duration.zero
}

/// The cache-related header fields, interpreted as in RFC 9111.
///
/// Invalid syntax is treated conservatively: an answer whose `Cache-Control` is invalid is not stored, one
/// with an invalid `Vary` is validated before each use.
package struct CacheFields: Hashable, Sendable {
  /// The smallest `max-age`; an invalid one counts as 0 (section 4.2.1).
  package var maximumAge: Duration?
  package var forbidsStoring = false
  package var permission = ResponsePermission.always
  /// How long after its lifetime the answer may be used if the server fails (RFC 5861, section 4).
  package var staleIfError: Duration?
  private var age: Duration?
  private var date: HTTPDate?
  /// `.some(nil)`: invalid, or more than one: in the past (section 5.3).
  private var expires: HTTPDate??

  /// Creates fields with only a `max-age`, in whole seconds.
  package init(maximumAge: Duration) { self.maximumAge = maximumAge }

  package init(_ fields: [HTTPField]) {
    var hasAge = false
    for field in fields {
      switch field.name.lowercased() {
      case "cache-control": take(directives: field.value)
      // The first member of the first line counts, or none if it is not a number (section 5.1).
      case "age":
        if !hasAge { age = FieldReader.firstSeconds(field.value) }
        hasAge = true
      case "date": if date == nil { date = HTTPDate(field.value) }
      case "expires": expires = .some(expires == nil ? HTTPDate(field.value) : nil)
      case "vary":
        if FieldReader.tokens(field.value)?.contains("*") ?? true { permission = .afterAsking }
      default: break
      }
    }
  }

  /// Returns how long an answer with these fields is fresh; `nil`: it may not be stored.
  package func lifetime(
    asked: Instant, arrival: Instant, fallback: Duration? = nil
  ) -> ResponseLifetime? {
    guard let maximumAge = maximumAge ?? untilExpiry(arrival) ?? fallback, !forbidsStoring
    else { return nil }
    return ResponseLifetime(
      maximumAge: maximumAge, age: currentAge(asked: asked, arrival: arrival))
  }

  /// Returns `Expires` minus `Date` (section 4.2.1); `nil`: there is no `Expires`.
  private func untilExpiry(_ arrival: Instant) -> Duration? {
    guard let expires else { return nil }
    guard let end = expires?.instant(near: arrival) else { return .zero }
    let lifetime = (date?.instant(near: arrival) ?? arrival).duration(to: end)
    return min(max(lifetime, .zero), .seconds(FieldReader.maximumSeconds))
  }

  /// Returns the larger of the ages by intermediate caches' and by the server's clock (section 4.2.3).
  private func currentAge(asked: Instant, arrival: Instant) -> Duration {
    let delay = max(asked.duration(to: arrival), .zero)
    let apparent = date.map { max($0.instant(near: arrival).duration(to: arrival), .zero) }
    return max(apparent ?? .zero, (age ?? .zero) + delay)
  }

  private mutating func take(directives value: String) {
    guard let directives = CacheDirective.list(value) else {
      forbidsStoring = true
      return
    }
    for directive in directives {
      switch directive.name {
      case "no-store": forbidsStoring = true
      // With field names it applies to those only; validation is always safe.
      case "no-cache": permission = .afterAsking
      case "must-revalidate": permission = max(permission, .whileFresh)
      case "max-age": maximumAge = directive.smaller(of: maximumAge)
      case "stale-if-error": staleIfError = directive.smaller(of: staleIfError)
      default: break
      }
    }
  }
}

/// A directive of `Cache-Control` (RFC 9111, section 5.2).
package struct CacheDirective: Hashable, Sendable {
  /// The name in lower case.
  package var name: String
  /// The argument without quotes.
  package var argument: String?

  /// Parses the directives of one line; `nil`: invalid syntax.
  package static func list(_ value: String) -> [CacheDirective]? {
    var reader = FieldReader(value)
    return reader.list { reader in
      guard let name = reader.token() else { return nil }
      guard reader.take("=") else { return CacheDirective(name: name.lowercased()) }
      guard let argument = reader.token() ?? reader.quotedString() else { return nil }
      return CacheDirective(name: name.lowercased(), argument: argument)
    }
  }

  /// Returns the smaller of its number of seconds and another; an invalid number counts as 0.
  fileprivate func smaller(of other: Duration?) -> Duration {
    let seconds = argument.flatMap { FieldReader.seconds($0) } ?? .zero
    return min(seconds, other ?? seconds)
  }
}

/// A request's directives for caches (RFC 9111, section 5.2.1).
struct RequestDirectives {
  /// `no-store`: its answer is not stored.
  private(set) var forbidsStoring = false
  private var forbidsReuse = false
  private var maximumAge: Duration?
  private var minimumFreshness: Duration?

  init(_ fields: [HTTPField]) {
    for value in fields.values(of: "cache-control") {
      guard let directives = CacheDirective.list(value) else {
        (forbidsStoring, forbidsReuse) = (true, true)
        continue
      }
      for directive in directives {
        switch directive.name {
        case "no-store": forbidsStoring = true
        case "no-cache": forbidsReuse = true
        case "max-age": maximumAge = directive.smaller(of: maximumAge)
        case "min-fresh":
          let seconds = directive.argument.flatMap { FieldReader.seconds($0) }
          minimumFreshness = max(
            minimumFreshness ?? .zero, seconds ?? .seconds(FieldReader.maximumSeconds))
        default: break
        }
      }
    }
  }

  /// Returns whether a stored fresh answer satisfies the request.
  func accept(_ version: BodyVersion, at now: Instant) -> Bool {
    !forbidsReuse && version.age(at: now) <= maximumAge ?? .seconds(Int64.max)
      && now.duration(to: version.staleAt) >= minimumFreshness ?? .zero
  }
}

/// Parses a header field's value by the grammar of RFC 9110 (section 5.6).
///
/// All parsing of lists, tokens, quoted strings, numbers and dates of headers is here. A missing part
/// consumes nothing.
package struct FieldReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  package var isAtEnd: Bool { position == bytes.count }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips optional spaces and tabs (`OWS`).
  package mutating func skipSpace() {
    while let byte = next, byte == Self.space || byte == Self.tab { position += 1 }
  }

  /// - Returns: whether this text was next; case-sensitive.
  package mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  /// Consumes one of these texts, and returns its index.
  package mutating func take(oneOf texts: [String]) -> Int? {
    for (index, text) in texts.enumerated() where take(text) { return index }
    return nil
  }

  /// Consumes a number of exactly this many digits.
  package mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    let digits = bytes[position..<(position + count)]
    guard digits.allSatisfy(Self.isDigit) else { return nil }
    position += count
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Consumes a token: one or more characters (section 5.6.2).
  package mutating func token() -> String? {
    let start = position
    while let byte = next, Self.isTokenCharacter(byte) { position += 1 }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Consumes a quoted string (section 5.6.4), without its quotes and with quoted pairs replaced by their
  /// second character.
  ///
  /// - Returns: `nil` if it does not begin, does not end, or contains an invalid character.
  package mutating func quotedString() -> String? {
    guard next == Self.quote else { return nil }
    var text: [UInt8] = []
    var index = position + 1
    while index < bytes.count, bytes[index] != Self.quote {
      if bytes[index] == Self.backslash { index += 1 }
      guard index < bytes.count, Self.isText(bytes[index]) else { return nil }
      text.append(bytes[index])
      index += 1
    }
    guard index < bytes.count else { return nil }
    position = index + 1
    return String(decoding: text, as: UTF8.self)
  }

  /// Consumes the members of a list (section 5.6.1), without empty ones.
  ///
  /// - Returns: `nil` if the rest of the value is not such a list.
  package mutating func list<Member>(
    _ member: (inout FieldReader) -> Member?
  ) -> [Member]? {
    var members: [Member] = []
    while true {
      skipSpace()
      if isAtEnd { return members }
      if take(",") { continue }
      guard let next = member(&self) else { return nil }
      members.append(next)
      skipSpace()
      guard isAtEnd || take(",") else { return nil }
    }
  }

  /// Returns the names in a list of tokens; `nil`: the value is not such a list.
  package static func tokens(_ value: String) -> [String]? {
    var reader = FieldReader(value)
    return reader.list { $0.token() }
  }

  /// Returns the first of a list of seconds (RFC 9111, section 5.1); `nil`: it is invalid.
  package static func firstSeconds(_ value: String) -> Duration? {
    var reader = FieldReader(value)
    reader.skipSpace()
    while reader.take(",") { reader.skipSpace() }
    guard let token = reader.token() else { return nil }
    reader.skipSpace()
    return reader.isAtEnd || reader.take(",") ? seconds(token) : nil
  }

  /// Parses a number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil`: it is invalid.
  package static func seconds(_ text: String) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return .seconds(min(UInt64(text) ?? maximumSeconds, maximumSeconds))
  }

  /// The maximum number of seconds; larger ones count as this.
  package static let maximumSeconds: UInt64 = 1 << 31

  // MARK: Characters

  private static let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
  private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
  private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: marks.contains(byte)
    }
  }

  /// Visible characters, spaces, tabs, and non-ASCII bytes.
  private static func isText(_ byte: UInt8) -> Bool {
    byte == tab || byte >= space && byte != 0x7F
  }
}

/// A header field.
public struct HTTPField: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [HTTPField] {
  /// Returns the values of all fields with a name, in order; the name in lower case, fields match in any
  /// case.
  package func values(of name: String) -> [String] {
    compactMap { $0.name.lowercased() == name ? $0.value : nil }
  }
}
