/// Parameters with a different value in every request, which prevent caching or are tokens.
struct CacheBuster {
  /// The values by host and name, as far as necessary to detect a repetition.
  private var values: [UInt64: Set<UInt64>] = [:]
  private var uses: [UInt64: Int] = [:]
  private var clocks: [UInt64: Int] = [:]
  /// The parameters that select pages, by the rows of answers.
  private var pages: Set<UInt64> = []
  private static let mostValues = 10_000

  /// Names of parameters without meaning, in lower case.
  private static let names: Set = [
    "_", "_t", "_ts", "ts", "t", "timestamp", "time", "now", "nonce", "cb", "cachebust",
    "cachebuster", "cache_buster", "nocache", "rand", "random", "r", "rnd", "requestid",
    "request_id", "traceid", "trace_id", "token", "access_token", "accesstoken", "auth_token",
    "id_token", "csrf", "csrf_token", "_csrf", "xsrf", "sig", "signature", "expires", "x-amz-date",
    "x-amz-signature", "x-amz-security-token", "x-amz-credential",
  ]

  /// Names of parameters that select a page, in lower case.
  private static let cursors: Set = [
    "after", "before", "cursor", "end_before", "ending_before", "max_id", "maxid", "min_id",
    "minid", "newer_than", "older_than", "since", "since_id", "start_after", "starting_after",
    "until",
  ]

  init(_ requests: [LoggedRequest], _ log: TrafficLog) {
    for request in requests {
      for parameter in log.parameters[request.parameters] {
        note(
          host: request.host, name: parameter.name, value: parameter.value,
          isClock: parameter.isClock)
      }
    }
    findPages(requests, log)
  }

  /// Finds parameters with which the rows of answers differ: no row is in two answers that only they
  /// distinguish.
  private mutating func findPages(_ requests: [LoggedRequest], _ log: TrafficLog) {
    var rows: [UInt64: Set<Int32>] = [:]
    var overlaps: Set<UInt64> = []
    for request in requests where !request.rows.isEmpty {
      let parameters = log.parameters[request.parameters]
      let all = parameters.reduce(Print.of(UInt64(request.path), request.body)) {
        $0 &+ Print.of(UInt64($1.name), $1.value)
      }
      let own = Set(log.rows[request.rows].compactMap { log.sights[Int($0)].entity })
      for parameter in parameters {
        let key = Self.key(request.host, parameter.name)
        guard parameter.isClock, !overlaps.contains(key) else { continue }
        let others = Print.of(key, all &- Print.of(UInt64(parameter.name), parameter.value))
        guard let known = rows[others] else {
          rows[others] = own
          continue
        }
        if known.isDisjoint(with: own) {
          pages.insert(key)
          rows[others] = known.union(own)
        } else {
          overlaps.insert(key)
        }
      }
    }
    pages.subtract(overlaps)
  }

  private mutating func note(host: Int32, name: Int32, value: UInt64, isClock: Bool) {
    let key = Self.key(host, name)
    uses[key, default: 0] += 1
    if isClock { clocks[key, default: 0] += 1 }
    if uses[key, default: 0] <= Self.mostValues { values[key, default: []].insert(value) }
  }

  /// Returns whether a parameter is irrelevant: no value occurs twice, its name or its values show it, and
  /// it selects no page.
  ///
  /// A page number does not repeat either, so different values alone are not sufficient.
  func ignores(host: Int32, name: Int32, called text: String) -> Bool {
    let key = Self.key(host, name)
    guard let count = uses[key], count >= 2, min(count, Self.mostValues) == values[key]?.count
    else { return false }
    if pages.contains(key) || Self.cursors.contains(text.lowercased()) { return false }
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
