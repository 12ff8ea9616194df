package import CacheModel

/// When a stored answer may be used without asking the server, whatever its age.
package enum ResponsePermission: UInt8, Hashable, Sendable, Comparable {
  /// Whenever its age allows, and past that where no server answers.
  case always
  /// While it is fresh: `must-revalidate`.
  case whileFresh
  /// Never: `no-cache`, `Vary: *`, or a request since may have changed what it shows.
  case afterAsking

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// How long an answer is fresh, as its header says (RFC 9111, section 4.2).
package struct ResponseLifetime: Hashable, Sendable {
  /// `max-age`, whole.
  package var maximumAge: Duration
  /// How old the answer was when it arrived.
  package var age: Duration

  package init(maximumAge: Duration, age: Duration = .zero) {
    self.maximumAge = maximumAge
    self.age = age
  }
}

/// The fields of a header that matter to a cache, read as RFC 9111 says.
///
/// Of what does not follow the grammar the strict reading holds: an answer whose `Cache-Control` cannot be read is not
/// stored, one whose `Vary` cannot be read is asked about each time.
package struct CacheFields: Hashable, Sendable {
  /// The smallest `max-age`; one that is no number counts as none of it (section 4.2.1).
  package var maximumAge: Duration?
  package var forbidsStoring = false
  package var permission = ResponsePermission.always
  /// For how long past its lifetime the answer may be used where the server fails (RFC 5861, section 4).
  package var staleIfError: Duration?
  private var age: Duration?
  private var date: HTTPDate?
  /// `.some(nil)`: one that cannot be read, or more than one: in the past (section 5.3).
  private var expires: HTTPDate??

  /// Those of an answer that says nothing but this, in whole seconds.
  package init(maximumAge: Duration) { self.maximumAge = maximumAge }

  package init(_ fields: [HTTPField]) {
    var hasAge = false
    for field in fields {
      switch field.name.lowercased() {
      case "cache-control": take(directives: field.value)
      // The first member of the first line counts, and none where it is no number (section 5.1).
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

  /// How long an answer with these fields is fresh; `nil`: it may not be stored.
  package func lifetime(
    asked: Instant, arrival: Instant, fallback: Duration? = nil
  ) -> ResponseLifetime? {
    guard let maximumAge = maximumAge ?? untilExpiry(arrival) ?? fallback, !forbidsStoring
    else { return nil }
    return ResponseLifetime(
      maximumAge: maximumAge, age: currentAge(asked: asked, arrival: arrival))
  }

  /// Section 4.2.1: `Expires` less `Date`; `nil`: there is no `Expires`.
  private func untilExpiry(_ arrival: Instant) -> Duration? {
    guard let expires else { return nil }
    guard let end = expires?.instant(near: arrival) else { return .zero }
    let lifetime = (date?.instant(near: arrival) ?? arrival).duration(to: end)
    return min(max(lifetime, .zero), .seconds(FieldReader.maximumSeconds))
  }

  /// Section 4.2.3: by the clocks of caches on the way, and by the server's, whichever says more.
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
      // With names of fields it is about those only; asking is never wrong.
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
  /// In lower case.
  package var name: String
  /// Without quotes.
  package var argument: String?

  /// The directives of one line; `nil`: it does not follow the grammar.
  package static func list(_ value: String) -> [CacheDirective]? {
    var reader = FieldReader(value)
    return reader.list { reader in
      guard let name = reader.token() else { return nil }
      guard reader.take("=") else { return CacheDirective(name: name.lowercased()) }
      guard let argument = reader.token() ?? reader.quotedString() else { return nil }
      return CacheDirective(name: name.lowercased(), argument: argument)
    }
  }

  /// Its number of seconds or another, whichever is less; what is no number counts as 0.
  fileprivate func smaller(of other: Duration?) -> Duration {
    let seconds = argument.flatMap { FieldReader.seconds($0) } ?? .zero
    return min(seconds, other ?? seconds)
  }
}

/// What a request asks of a cache (RFC 9111, section 5.2.1).
struct RequestDirectives {
  /// `no-store`: the answer to it is not stored.
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

  /// Whether a fresh answer is good enough.
  func accept(_ version: BodyVersion, at now: Instant) -> Bool {
    !forbidsReuse && version.age(at: now) <= maximumAge ?? .seconds(Int64.max)
      && now.duration(to: version.staleAt) >= minimumFreshness ?? .zero
  }
}

/// Reads the value of a header field by the grammar of RFC 9110 (section 5.6), from its beginning on.
///
/// Whatever reads a list, a token, a quoted string, a number or a date of a header reads it here. A part that is not
/// there takes nothing.
package struct FieldReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  package var isAtEnd: Bool { position == bytes.count }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Spaces and tabs, if there are any (`OWS`).
  package mutating func skipSpace() {
    while let byte = next, byte == Self.space || byte == Self.tab { position += 1 }
  }

  /// - Returns: whether this text was next, in this case.
  package mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  /// The place of the first text that is next.
  package mutating func take(oneOf texts: [String]) -> Int? {
    for (index, text) in texts.enumerated() where take(text) { return index }
    return nil
  }

  /// A number of exactly that many digits.
  package mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    let digits = bytes[position..<(position + count)]
    guard digits.allSatisfy(Self.isDigit) else { return nil }
    position += count
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// One or more characters of a token (section 5.6.2).
  package mutating func token() -> String? {
    let start = position
    while let byte = next, Self.isTokenCharacter(byte) { position += 1 }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// A quoted string (section 5.6.4), its quotes removed, and of each quoted pair its second character.
  ///
  /// - Returns: `nil` where none begins, none ends, or a character stands in it that may not.
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

  /// The members of a list (section 5.6.1), without the empty ones.
  ///
  /// - Returns: `nil` where the rest of the value is no such list.
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

  /// The names in a list of tokens; `nil`: the value is no such list.
  package static func tokens(_ value: String) -> [String]? {
    var reader = FieldReader(value)
    return reader.list { $0.token() }
  }

  /// The first member of a list of numbers of seconds (RFC 9111, section 5.1); `nil`: it is none.
  package static func firstSeconds(_ value: String) -> Duration? {
    var reader = FieldReader(value)
    reader.skipSpace()
    while reader.take(",") { reader.skipSpace() }
    guard let token = reader.token() else { return nil }
    reader.skipSpace()
    return reader.isAtEnd || reader.take(",") ? seconds(token) : nil
  }

  /// A number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil`: it is none.
  package static func seconds(_ text: String) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return .seconds(min(UInt64(text) ?? maximumSeconds, maximumSeconds))
  }

  /// The largest number of seconds that is told apart.
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

  /// Visible characters, spaces, tabs, and whatever is not ASCII.
  private static func isText(_ byte: UInt8) -> Bool {
    byte == tab || byte >= space && byte != 0x7F
  }
}

/// A field of a header.
public struct HTTPField: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [HTTPField] {
  /// The values of all fields of a name, in order; the name in lower case, fields match in any.
  package func values(of name: String) -> [String] {
    compactMap { $0.name.lowercased() == name ? $0.value : nil }
  }
}
