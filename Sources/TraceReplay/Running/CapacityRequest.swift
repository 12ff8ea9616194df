package import EvictionPolicies

/// A capacity as a user writes it: `100`, `1%`, `64MiB`.
package enum CapacityRequest: Hashable, Sendable {
  case entities(Int)
  /// A share of the trace's distinct keys, in billionths.
  case share(billionths: Int)
  case bytes(Int)

  package var isInBytes: Bool {
    if case .bytes = self { true } else { false }
  }

  /// Reads a comma-separated list.
  package static func parseList(_ text: String) throws(CapacityError) -> [CapacityRequest] {
    var requests: [CapacityRequest] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      requests.append(try CapacityRequest(part))
    }
    return requests
  }

  /// Reads one capacity: a whole number of at least 1, a percentage above 0 up to 100 with at most
  /// seven decimals, or a whole number of B, kB, MB, GB, TB (powers of 1,000), KiB, MiB, GiB or TiB.
  package init(_ text: some StringProtocol) throws(CapacityError) {
    let written = String(text)
    let digits = written.prefix { $0.isASCII && $0.isNumber }
    let rest = written.dropFirst(digits.count)
    if written.hasPrefix("-") { throw .outOfRange(written) }
    if rest.last == "%" {
      guard let billionths = Self.billionths(of: written.dropLast()) else {
        throw .unreadable(written)
      }
      guard (1...1_000_000_000).contains(billionths) else { throw .outOfRange(written) }
      self = .share(billionths: billionths)
      return
    }
    guard !digits.isEmpty, rest.isEmpty || Self.units.contains(where: { $0.name == rest }) else {
      throw .unreadable(written)
    }
    guard let number = Int(digits), number > 0 else { throw .outOfRange(written) }
    guard let unit = Self.units.first(where: { $0.name == rest }) else {
      self = .entities(number)
      return
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
    guard !overflow else { throw .outOfRange(written) }
    self = .bytes(bytes)
  }

  private static let units: [(name: String, bytes: Int)] = [
    ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// A percentage written with decimals, exactly: "0.1" is 1,000,000 billionths of the whole.
  private static func billionths(of text: Substring) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...3).contains(parts[0].count) else { return nil }
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard (1...7).contains(decimals.count) else { return nil }
    let padded = decimals + String(repeating: "0", count: 7 - decimals.count)
    guard (parts[0] + padded).allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(parts[0] + padded)
  }

  /// The capacity in entities or bytes for one trace.
  ///
  /// A share is rounded to the nearest whole number, halves up, and is at least 1.
  package func capacity(for trace: InternedTrace) throws(CapacityError) -> ReplayCapacity {
    switch self {
    case .entities(let count): return .entities(count)
    case .share(let billionths):
      if let whole = trace.sampledFrom {
        let all = Double(trace.distinct) / whole.sampling.rate
        return .entities(max(1, Int((all * Double(billionths) / 1e9).rounded())))
      }
      // Keys are fewer than 2³¹ and billionths at most 10⁹, so the product fits.
      return .entities(
        max(1, (trace.distinct * billionths + 500_000_000) / 1_000_000_000))
    case .bytes(let bytes):
      guard !trace.weights.isEmpty else { throw .bytesWithoutWeights(bytes) }
      return .bytes(bytes)
    }
  }
}

/// Why a capacity cannot be used.
package enum CapacityError: Error, Hashable, CustomStringConvertible {
  case unreadable(String)
  case outOfRange(String)
  case bytesWithoutWeights(Int)
  case expiryWithoutTimes
  case belowSample(Int, smallest: Int)

  package var description: String {
    switch self {
    case .unreadable(let text):
      "'\(text)' is not a capacity; write entities (100), a share of keys (1%) or bytes (64MiB, 10MB)"
    case .outOfRange(let text):
      "the capacity '\(text)' is out of range; it is at least 1 entity or byte, at most 100%"
    case .belowSample(let capacity, let smallest):
      """
      a capacity of \(capacity) is less than one at the sample's scale; ask for at least \(smallest), \
      or take a larger sample
      """
    case .expiryWithoutTimes:
      """
      lifetimes need times, and the trace has none; say how much time passes from request to \
      request with --request-interval, or name the column of times
      """
    case .bytesWithoutWeights(let bytes):
      """
      a capacity of \(bytes) bytes needs sizes, and the trace has none; write entities (100) or a \
      share of keys (1%), or name the column of sizes
      """
    }
  }
}
