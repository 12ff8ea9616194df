/// Parameters with a different value in every request, which prevent caching or are tokens.
struct CacheBuster {
  /// The values by host and name, as far as necessary to detect a repetition.
  private var values: [UInt64: Set<UInt64>] = [:]
  private var uses: [UInt64: Int] = [:]
  private var clocks: [UInt64: Int] = [:]
  private static let mostValues = 10_000

  /// Names of parameters without meaning, in lower case.
  private static let names: Set = [
    "_", "_t", "_ts", "ts", "t", "timestamp", "time", "now", "nonce", "cb", "cachebust",
    "cachebuster", "cache_buster", "nocache", "rand", "random", "r", "rnd", "requestid",
    "request_id", "traceid", "trace_id", "token", "access_token", "accesstoken", "auth_token",
    "id_token", "csrf", "csrf_token", "_csrf", "xsrf", "sig", "signature", "expires", "x-amz-date",
    "x-amz-signature", "x-amz-security-token", "x-amz-credential",
  ]

  mutating func note(host: Int32, name: Int32, value: UInt64, isClock: Bool) {
    let key = Self.key(host, name)
    uses[key, default: 0] += 1
    if isClock { clocks[key, default: 0] += 1 }
    if uses[key, default: 0] <= Self.mostValues { values[key, default: []].insert(value) }
  }

  /// Returns whether a parameter is irrelevant: no value occurs twice, and its name or its values show it.
  ///
  /// A page number does not repeat either, so different values alone are not sufficient.
  func ignores(host: Int32, name: Int32, called text: String) -> Bool {
    let key = Self.key(host, name)
    guard let count = uses[key], count >= 2, min(count, Self.mostValues) == values[key]?.count
    else { return false }
    return Self.names.contains(text.lowercased()) || clocks[key] == count
  }

  private static func key(_ host: Int32, _ name: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: host)) << 32 | UInt64(UInt32(bitPattern: name))
  }

  /// Returns whether a value is the time of the request, or a random number between 0 and 1.
  static func isClock(_ value: String, at start: Int64) -> Bool {
    if value.hasPrefix("0."), value.utf8.count >= 8 {
      return value.utf8.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) }
    }
    guard [10, 13, 16].contains(value.utf8.count), let number = Int64(value), number > 0 else {
      return false
    }
    let unit: Int64 =
      switch value.utf8.count {
      case 10: 1_000_000_000
      case 13: 1_000_000
      default: 1_000
      }
    let (instant, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return !isTooLarge && (instant - start).magnitude < 86_400_000_000_000
  }
}
