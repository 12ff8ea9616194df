import Text

extension ScenarioReader {
  /// A quantity held as a whole number: a duration, a size, a bandwidth or a count.
  mutating func whole(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Int64>
  ) -> Int64? {
    quantity(node) { text, source throws(QuantityError) in
      try dimension.whole(text, in: range, from: source)
    }
  }

  /// A quantity held as a real number: a rate, a share, a mean count or a plain number.
  mutating func real(
    _ node: SourceNode, _ dimension: Dimension, in range: ClosedRange<Double>
  ) -> Double? {
    quantity(node) { text, source throws(QuantityError) in
      try dimension.real(text, in: range, from: source)
    }
  }

  /// A number with its unit, whatever that is.
  ///
  /// - Parameters:
  ///   - node: where it is written.
  ///   - noun: what it should be, with its article.
  ///   - remedy: what to write where it is none.
  /// - Returns: `nil` where it was reported.
  mutating func quantity(_ node: SourceNode, as noun: String, remedy: String) -> Quantity? {
    quantity(node) { text, _ throws(QuantityError) in
      try Quantity.reading(text, as: noun, remedy: remedy)
    }
  }

  private mutating func quantity<Value>(
    _ node: SourceNode, _ read: (String, Dimension.Source) throws(QuantityError) -> Value
  ) -> Value? {
    guard let text = scalar(node) else { return nil }
    do {
      return try read(text, isOnCommandLine ? .commandLine : .file)
    } catch {
      report(node.place, error.cause, error.remedy)
      return nil
    }
  }
}
