package enum Dimension: Hashable, Sendable {
  /// A duration in nanoseconds.
  case duration
  /// A size in bytes.
  case size
  /// A bandwidth in bytes per second.
  case bandwidth
  /// A rate per second.
  case rate
  /// A fraction of one.
  case share
  /// A number of items, named by the plural.
  case count(String)
  /// A plain number, such as an exponent.
  case number

  /// The units, with the size of each in the base unit.
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

  /// Returns the size of a unit in the base unit; `nil` if there is no such unit.
  package func factor(of unit: String) -> Int64? { units.first { $0.name == unit }?.factor }

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

  /// The name, for example in an error.
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

  /// The unit that an error writes behind a number that has none.
  private var usualUnit: String {
    switch self {
    case .duration: "s"
    case .size: "MB"
    case .bandwidth: "MB/s"
    case .rate: "/s"
    case .share: "%"
    case .count(let plural): plural
    case .number: ""
    }
  }

  /// Other words for its units, in lower case.
  private var otherWords: [(unit: String, words: [String])] {
    switch self {
    case .duration:
      [
        ("ns", ["nanosecond", "nanoseconds"]), ("us", ["µs", "microsecond", "microseconds"]),
        ("ms", ["msec", "millisecond", "milliseconds"]),
        ("s", ["sec", "secs", "second", "seconds"]),
        ("min", ["m", "mins", "minute", "minutes"]), ("h", ["hr", "hrs", "hour", "hours"]),
        ("d", ["day", "days"]),
      ]
    case .size:
      [
        ("B", ["byte", "bytes"]), ("kB", ["k", "kilobytes"]), ("MB", ["m", "megabytes"]),
        ("GB", ["g", "gigabytes"]),
      ]
    case .rate:
      [("/s", ["/sec", "/second"]), ("/min", ["/minute"]), ("/h", ["/hour"]), ("/d", ["/day"])]
    case .share: [("%", ["percent"])]
    case .bandwidth, .count, .number: []
    }
  }

  /// A value in the base unit, for people.
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
    case .count(let plural):
      return "\(Self.plain(value)) \(value == 1 ? Self.singular(of: plural) : plural)"
    }
  }

  /// Returns a number without rounding errors beyond the ninth decimal place.
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

/// The reason why a text is not the required quantity.
package struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the quantity, such as an option; empty if the caller adds the location.
  package var subject = ""
  package let cause: String
  package let remedy: String

  /// The error in one line; the cause may include the input.
  package var description: String { "\(subject): \(cause); \(remedy)".legible }
}

extension Quantity {
  /// Parses a number with any unit.
  package static func reading(
    _ text: String, as noun: String, remedy: String
  ) throws(QuantityError) -> Quantity {
    do throws(Fault) {
      return try Quantity(text)
    } catch {
      switch error {
      case .noNumber:
        throw QuantityError(cause: "`\(text.excerpt)` is not \(noun)", remedy: remedy)
      case .comma(let withPoint):
        throw QuantityError(
          cause: "`\(text.excerpt)` has a comma that does not group three digits",
          remedy: "write `\(withPoint.excerpt)`")
      }
    }
  }
}

extension Dimension {
  package enum Source: Sendable {
    case file
    /// Examples have no space, which would separate words.
    case commandLine
  }

  /// Parses an option's value, `300s` or `1.5GiB`, in the base unit; the error begins with the option.
  package func whole(
    _ text: String, of option: String, in range: ClosedRange<Int64>
  ) throws(QuantityError) -> Int64 {
    do {
      return try whole(text, in: range, from: .commandLine)
    } catch {
      throw QuantityError(subject: option, cause: error.cause, remedy: error.remedy)
    }
  }

  /// Reads what an option was given, `1%`, as a real number; the error begins with the option.
  package func real(
    _ text: String, of option: String, in range: ClosedRange<Double>
  ) throws(QuantityError) -> Double {
    do {
      return try real(text, in: range, from: .commandLine)
    } catch {
      throw QuantityError(subject: option, cause: error.cause, remedy: error.remedy)
    }
  }

  /// Reads a quantity that is kept as a whole number: a duration, a size, a bandwidth or a count.
  package func whole(
    _ text: String, in range: ClosedRange<Int64>, from source: Source
  ) throws(QuantityError) -> Int64 {
    let (quantity, factor) = try quantity(text, from: source)
    guard let value = quantity.whole(times: factor) else {
      throw QuantityError(
        cause: "this \(noun) is not a whole number of the smallest unit, or too large",
        remedy: "round it, for example to \(example(in: source))")
    }
    guard range.contains(value) else {
      throw outOfRange(Double(value), Double(range.lowerBound)...Double(range.upperBound))
    }
    return value
  }

  /// Parses a real quantity: a rate, a share, a mean count or a plain number.
  package func real(
    _ text: String, in range: ClosedRange<Double>, from source: Source
  ) throws(QuantityError) -> Double {
    let (quantity, factor) = try quantity(text, from: source)
    let value = quantity.real / Double(factor)
    guard range.contains(value) else { throw outOfRange(value, range) }
    return value
  }

  private func quantity(
    _ text: String, from source: Source
  ) throws(QuantityError) -> (Quantity, factor: Int64) {
    let quantity = try Quantity.reading(
      text, as: "a \(noun)", remedy: "write for example \(example(in: source))")
    if self == .number {
      if quantity.unit.isEmpty { return (quantity, 1) }
      throw QuantityError(
        cause: "`\(text.excerpt)` has a unit, a plain number is expected",
        remedy: "remove the unit")
    }
    if quantity.unit.isEmpty {
      // The key of a count determines its item.
      if case .count = self { return (quantity, 1) }
      throw QuantityError(
        cause: "`\(text.excerpt)` has no unit", remedy: unitRemedy(for: quantity, text, in: source))
    }
    guard let factor = factor(of: quantity.unit) else {
      throw QuantityError(
        cause: "`\(quantity.unit.excerpt)` is not a unit of a \(noun)",
        remedy: unitRemedy(for: quantity, text, in: source))
    }
    return (quantity, factor)
  }

  /// The number that was written, with the unit that is meant, or with one that is possible.
  private func unitRemedy(
    for quantity: Quantity, _ text: String, in source: Source
  ) -> String {
    func written(_ number: String, _ unit: String) -> String {
      source == .commandLine || unit.hasPrefix("/") ? "`\(number)\(unit)`" : "`\(number) \(unit)`"
    }
    var digits = text.unicodeScalars.dropLast(quantity.unit.unicodeScalars.count)
    while digits.last == " " { digits.removeLast() }
    let number = String(digits).excerpt
    let word = quantity.unit.lowercased()
    let meant =
      units.first { $0.name.lowercased() == word }?.name
      ?? otherWords.first { $0.words.contains(word) }?.unit
    if let meant { return "did you mean \(written(number, meant))?" }
    switch self {
    case .share where quantity.unit.isEmpty && quantity.real > 0 && quantity.real <= 1:
      return "write \(written(number, "%")), or \(written(Self.plain(quantity.real * 100), "%"))"
    case .share, .count: return "write \(written(number, usualUnit))"
    default:
      let names = units.map { "`\($0.name)`" }.joined(separator: ", ")
      return "write for example \(written(number, usualUnit)); units: \(names)"
    }
  }

  private func example(in source: Source) -> String {
    guard source == .commandLine else { return example }
    if case .count = self { return "`100`" }
    return example.filter { $0 != " " }
  }

  private func outOfRange(_ value: Double, _ range: ClosedRange<Double>) -> QuantityError {
    let isNegative = value < 0 && range.lowerBound >= 0
    let most = self == .size ? bound(range.upperBound) : text(of: range.upperBound)
    return QuantityError(
      cause: "\(self.text(of: value)) is \(isNegative ? "negative" : "out of range")",
      remedy: "choose from \(bound(range.lowerBound)) to \(most)")
  }

  /// The end of a range: of a count without its unit, which follows; of a size in its largest unit.
  private func bound(_ value: Double) -> String {
    switch self {
    case .count: return Self.plain(value)
    case .size:
      guard value > 0, let whole = Int64(exactly: value),
        let unit = units.filter({ whole % $0.factor == 0 }).max(by: { $0.factor < $1.factor })
      else { return text(of: value) }
      return "\(whole / unit.factor) \(unit.name)"
    default: return text(of: value)
    }
  }
}
