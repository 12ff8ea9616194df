/// Why a text is not the quantity that is wanted.
package struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the quantity was written for, such as an option; empty where the caller knows the place.
  package var subject = ""
  /// What is wrong.
  package let cause: String
  /// What to do about it.
  package let remedy: String

  /// One line; the cause may repeat what was written.
  package var description: String { "\(subject): \(cause); \(remedy)".legible }
}

extension Quantity {
  /// Reads a number and its unit, whatever that is.
  ///
  /// - Parameters:
  ///   - text: as written.
  ///   - noun: what it should be, with its article.
  ///   - remedy: what to write where it is none.
  /// - Returns: the quantity.
  /// - Throws: why it is none; the caller knows the place.
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
  /// Where a quantity is written.
  package enum Source: Sendable {
    case file
    /// No example has a space, which would begin another word.
    case commandLine
  }

  /// Reads what an option was given, `300s` or `1.5GiB`, in the held unit; the error begins with the option.
  package func whole(
    _ text: String, of option: String, in range: ClosedRange<Int64>
  ) throws(QuantityError) -> Int64 {
    do {
      return try whole(text, in: range, from: .commandLine)
    } catch {
      throw QuantityError(subject: option, cause: error.cause, remedy: error.remedy)
    }
  }

  /// Reads a quantity held as a whole number: a duration, a size, a bandwidth or a count.
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

  /// Reads a quantity held as a real number: a rate, a share, a mean count or a plain number.
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
      // What is counted is told by what the count is written for.
      if case .count = self { return (quantity, 1) }
      throw QuantityError(cause: "`\(text.excerpt)` has no unit", remedy: unitRemedy(in: source))
    }
    guard let factor = factor(of: quantity.unit) else {
      throw QuantityError(
        cause: "`\(quantity.unit.excerpt)` is not a unit of a \(noun)",
        remedy: unitRemedy(in: source))
    }
    return (quantity, factor)
  }

  private func unitRemedy(in source: Source) -> String {
    let names = units.map { "`\($0.name)`" }.joined(separator: ", ")
    return "write for example \(example(in: source)); units: \(names)"
  }

  private func example(in source: Source) -> String {
    source == .commandLine ? example.filter { $0 != " " } : example
  }

  private func outOfRange(_ value: Double, _ range: ClosedRange<Double>) -> QuantityError {
    let isNegative = value < 0 && range.lowerBound >= 0
    return QuantityError(
      cause: "\(self.text(of: value)) is \(isNegative ? "negative" : "out of range")",
      remedy:
        "choose from \(self.text(of: range.lowerBound)) to \(self.text(of: range.upperBound))")
  }
}
