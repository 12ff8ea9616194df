extension Dimension {
  /// Reads a quantity of the command line as scenario files write it, except that a count may stand
  /// without its unit.
  ///
  /// - Parameters:
  ///   - text: What the user wrote: `300s`, `0.5s`, `1.5GiB`.
  ///   - option: What it was written for; the error begins with it.
  ///   - range: In the held unit.
  /// - Returns: The quantity in the held unit.
  /// - Throws: If the text is no such quantity, not whole in the held unit, or out of range.
  package func whole(
    _ text: String, of option: String, in range: ClosedRange<Int64>
  ) throws(ScenarioError) -> Int64 {
    var reader = ScenarioReader(file: option, vocabulary: .unchecked)
    reader.isOnCommandLine = true
    guard let value = reader.whole(SourceNode(place: nil, content: .scalar(text)), self, in: range)
    else { throw ScenarioError(problems: reader.problems) }
    return value
  }
}
