import Text

/// Text forms of request parts: instants, addresses, base64.
extension JSONValue {
  /// The number, also from a string.
  var lenientNumber: Double? {
    switch self {
    case .number(let isNegative, let magnitude):
      isNegative ? -Double(magnitude) : Double(magnitude)
    case .real(let value): value
    case .string(let text):
      text.utf8.count <= 32 ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    case .null, .bool, .array, .object: nil
    }
  }

  /// The integer, rounded towards zero; `nil` beyond 2⁵³.
  var lenientInteger: Int? {
    lenientNumber.flatMap { $0.magnitude < 9e15 ? Int($0) : nil }
  }

  /// Whether it is true, or a number other than 0, also as a string.
  var isYes: Bool {
    switch self {
    case .bool(let value): value
    case .string("true"): true
    default: lenientNumber.map { $0 != 0 } ?? false
    }
  }

  var members: [JSONMember]? { if case .object(let members) = self { members } else { nil } }
}

/// Instants in ISO 8601.
enum WallTime {
  /// Returns the nanoseconds since 1970 of `2026-11-27T12:00:00.000+01:00`; `nil` if it is invalid.
  ///
  /// An offset must be valid; without one, UTC is assumed.
  static func nanoseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19, bytes.count <= 40 else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      [UInt8(ascii: "T"), UInt8(ascii: "t"), 0x20].contains(bytes[10]),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      (1970...2200).contains(year), (1...12).contains(month), (1...31).contains(day), hour < 25,
      minute < 60, second < 61
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ",") {
      index += 1
      var unit: Int64 = 100_000_000
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
        fraction += Int64(bytes[index] - 0x30) * unit
        unit /= 10
        index += 1
      }
    }
    guard let offset = offset(bytes[index...]) else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return seconds * 1_000_000_000 + fraction
  }

  /// Returns an offset in seconds east of UTC.
  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard let sign = bytes.first else { return 0 }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return bytes.count == 1 ? 0 : nil }
    let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), [2, 4].contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let values = digits.map { Int64($0 - 0x30) }
    let minutes =
      (values[0] * 10 + values[1]) * 60 + (values.count == 4 ? values[2] * 10 + values[3] : 0)
    return sign == UInt8(ascii: "-") ? -minutes * 60 : minutes * 60
  }

  /// Returns the number of days since 1970 in the Gregorian calendar.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // The year begins in March, so that the leap day is the last.
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let era = year / 400
    let yearOfEra = year - era * 400
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// The parts of a request's address (RFC 3986), without percent-encoding.
struct RequestAddress: Hashable, Sendable {
  /// The host, with the port if there is one.
  var host: String
  /// The segments of the path without empty ones.
  var path: [String]
  var parameters: [Parameter]
  /// The original text without the fragment, the target of redirects.
  var text: String

  struct Parameter: Hashable, Sendable {
    /// The name; empty without an equals sign: the text is then a value.
    var name: String
    var value: String
  }

  /// - Returns: `nil` for an address other than HTTP, such as `data:` and `blob:`.
  init?(_ text: String) {
    let whole = text.prefix { $0 != "#" }
    guard let colon = whole.firstIndex(of: ":") else { return nil }
    let scheme = whole[..<colon].lowercased()
    guard ["http", "https", "ws", "wss"].contains(scheme), whole[colon...].hasPrefix("://") else {
      return nil
    }
    let rest = whole[whole.index(colon, offsetBy: 3)...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    host = (authority.split(separator: "@").last.map(String.init) ?? "").lowercased()
    guard !host.isEmpty else { return nil }
    let tail = rest[authority.endIndex...]
    let (path, query) = Self.cut(tail, "?")
    self.path = path.split(separator: "/").map { Self.decoded($0, plusIsSpace: false) }
    parameters = Self.parameters(in: query ?? "")
    self.text = String(whole)
  }

  private static func cut(
    _ text: Substring, _ letter: Character
  ) -> (head: Substring, tail: Substring?) {
    guard let place = text.firstIndex(of: letter) else { return (text, nil) }
    return (text[..<place], text[text.index(after: place)...])
  }

  /// Returns the parameters of a query string or of a form.
  static func parameters(in text: some StringProtocol) -> [Parameter] {
    text.split(separator: "&").prefix(1_000).map { part in
      let (name, value) = cut(Substring(part), "=")
      guard let value else {
        return Parameter(name: "", value: decoded(name, plusIsSpace: true))
      }
      return Parameter(
        name: decoded(name, plusIsSpace: true), value: decoded(value, plusIsSpace: true))
    }
  }

  private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var (bytes, out) = (Array(text.utf8)[...], [UInt8]())
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), let high = hexadecimal(bytes.first),
        let low = hexadecimal(bytes.dropFirst().first)
      {
        out.append(high << 4 | low)
        bytes = bytes.dropFirst(2)
      } else {
        out.append(byte == UInt8(ascii: "+") && plusIsSpace ? 0x20 : byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map { UInt8($0) }
  }

  /// Returns the target of a redirect, which may be a relative reference.
  func resolving(_ location: String) -> String {
    let location = String(location.prefix { $0 != "#" })
    if location.contains("://") { return location }
    let origin = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard origin.count >= 3 else { return location }
    if location.hasPrefix("//") { return "\(origin[0])\(location)" }
    let site = origin[0...2].joined(separator: "/")
    if location.hasPrefix("/") { return site + location }
    if location.hasPrefix("?") { return String(text.prefix { $0 != "?" }) + location }
    let folder = (origin.count > 3 ? origin[3] : "").prefix { $0 != "?" }
    let kept = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return ([site] + kept.map(String.init) + [location]).joined(separator: "/")
  }
}

extension RequestAddress {
  /// Returns whether a host has the given name, in which the port is optional.
  func isOf(_ name: String) -> Bool {
    let name = name.lowercased()
    return host == name || host.prefix { $0 != ":" } == name
  }
}

/// Base64 (RFC 4648), the encoding of binary bodies.
enum Base64 {
  static func decode(_ text: String) -> [UInt8]? {
    var (out, word, bits) = ([UInt8](), UInt32(0), 0)
    out.reserveCapacity(text.utf8.count / 4 * 3)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte + 4
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="), 0x0A, 0x0D, 0x20: continue
      default: return nil
      }
      word = word << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
      }
    }
    return out
  }
}
