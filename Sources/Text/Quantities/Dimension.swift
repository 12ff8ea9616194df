/// What a quantity measures, and in which units it may be written.
package enum Dimension: Hashable, Sendable {
  /// Held in nanoseconds.
  case duration
  /// Held in bytes.
  case size
  /// Held in bytes per second.
  case bandwidth
  /// Held per second.
  case rate
  /// Held as a fraction of one.
  case share
  /// So many of something; the plural names it.
  case count(String)
  /// A number of nothing, such as an exponent.
  case number

  /// The units, with how much of the held unit each is.
  package var units: [(name: String, factor: Int64)] {
    switch self {
    case .duration:
      [
        ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
        ("min", 60_000_000_000), ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
      ]
    case .size: Self.sizes
    case .bandwidth: Self.sizes.map { ("\($0.name)/s", $0.factor) }
    // A rate is divided by the seconds of its period.
    case .rate: [("/s", 1), ("/min", 60), ("/h", 3_600), ("/d", 86_400)]
    case .share: [("%", 100)]
    case .count(let plural): [(plural, 1), (Self.singular(of: plural), 1)]
    case .number: []
    }
  }

  /// How much of the held unit one of a unit is; `nil` if there is no such unit.
  package func factor(of unit: String) -> Int64? { units.first { $0.name == unit }?.factor }

  /// An example, for an error.
  package var example: String {
    switch self {
    case .duration: "`300 s`"
    case .size: "`15 MB`"
    case .bandwidth: "`2 MB/s`"
    case .rate: "`3/s`"
    case .share: "`1 %`"
    case .count(let plural): "`100 \(plural)`"
    case .number: "`0.9`"
    }
  }

  /// What it is called, in an error for example.
  package var noun: String {
    switch self {
    case .duration: "duration"
    case .size: "size"
    case .bandwidth: "bandwidth"
    case .rate: "rate"
    case .share: "share"
    case .count(""): "number"
    case .count(let plural): "number of \(plural)"
    case .number: "number"
    }
  }

  /// A value in the held unit, for people.
  package func text(of value: Double) -> String {
    let whole = Int64(exactly: value)
    switch self {
    case .duration:
      guard let whole else { return "\(value) ns" }
      for (name, factor) in units.reversed() where whole != 0 && whole % factor == 0 {
        return "\(whole / factor) \(name)"
      }
      return "0 s"
    case .size: return whole.map { "\($0) B" } ?? "\(value) B"
    case .bandwidth: return whole.map { "\($0) B/s" } ?? "\(value) B/s"
    case .rate: return "\(Self.plain(value))/s"
    case .share: return "\(Self.plain(value * 100)) %"
    case .count(""), .number: return Self.plain(value)
    case .count(let plural): return "\(Self.plain(value)) \(plural)"
    }
  }

  /// Without what arithmetic leaves behind the ninth decimal place.
  private static func plain(_ value: Double) -> String {
    let rounded = abs(value) < 1e6 ? (value * 1e9).rounded() / 1e9 : value
    return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded == 0 ? value : rounded)"
  }

  private static let sizes: [(name: String, factor: Int64)] = [
    ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ("TiB", 1 << 40),
  ]

  static func singular(of plural: String) -> String {
    if plural.hasSuffix("ies") { return "\(plural.dropLast(3))y" }
    return plural.hasSuffix("s") ? String(plural.dropLast()) : plural
  }
}
