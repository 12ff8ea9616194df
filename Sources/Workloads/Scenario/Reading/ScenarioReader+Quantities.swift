import CacheModel

extension ScenarioReader {
  /// A quantity held as a whole number: a duration, a size, a bandwidth or a count.
  mutating func whole(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Int64>
  ) -> Int64? {
    guard let (quantity, factor) = quantity(node, dimension) else { return nil }
    guard let value = quantity.whole(times: factor) else {
      report(
        node.place,
        "this \(dimension.noun) is not a whole number of the smallest unit, or too large",
        "round it, for example to \(example(of: dimension))")
      return nil
    }
    guard range.contains(value) else {
      outOfRange(
        node, dimension, Double(value), Double(range.lowerBound)...Double(range.upperBound))
      return nil
    }
    return value
  }

  /// A quantity held as a real number: a rate, a share, a mean count or a plain number.
  mutating func real(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Double>
  ) -> Double? {
    guard let (quantity, factor) = quantity(node, dimension) else { return nil }
    let value = quantity.real / Double(factor)
    guard range.contains(value) else {
      outOfRange(node, dimension, value, range)
      return nil
    }
    return value
  }

  private mutating func quantity(
    _ node: SourceNode, _ dimension: Dimension
  ) -> (Quantity, factor: Int64)? {
    guard let text = scalar(node) else { return nil }
    let shown = Self.shortened(text)
    guard let quantity = Quantity(text) else {
      report(
        node.place, "`\(shown)` is not a \(dimension.noun)",
        "write for example \(example(of: dimension))")
      return nil
    }
    if dimension == .number {
      if quantity.unit.isEmpty { return (quantity, 1) }
      report(node.place, "`\(shown)` has a unit, a plain number is expected", "remove the unit")
      return nil
    }
    if quantity.unit.isEmpty {
      if isOnCommandLine, case .count = dimension { return (quantity, 1) }
      report(node.place, "`\(shown)` has no unit", unitRemedy(dimension))
      return nil
    }
    guard let unit = dimension.units.first(where: { $0.name == quantity.unit }) else {
      report(
        node.place, "`\(Self.shortened(quantity.unit))` is not a unit of a \(dimension.noun)",
        unitRemedy(dimension))
      return nil
    }
    return (quantity, unit.factor)
  }

  private func unitRemedy(_ dimension: Dimension) -> String {
    let names = dimension.units.map { "`\($0.name)`" }.joined(separator: ", ")
    return "write for example \(example(of: dimension)); units: \(names)"
  }

  /// On the command line a space would begin another word.
  private func example(of dimension: Dimension) -> String {
    isOnCommandLine ? dimension.example.filter { $0 != " " } : dimension.example
  }

  private mutating func outOfRange(
    _ node: SourceNode, _ dimension: Dimension, _ value: Double, _ range: ClosedRange<Double>
  ) {
    let isNegative = value < 0 && range.lowerBound >= 0
    report(
      node.place, "\(dimension.text(of: value)) is \(isNegative ? "negative" : "out of range")",
      "choose from \(dimension.text(of: range.lowerBound)) to \(dimension.text(of: range.upperBound))"
    )
  }
}
