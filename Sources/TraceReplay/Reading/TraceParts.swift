/// A trace that is in memory whole, cut at ends of lines or records, so that its parts can be read side by side.
///
/// All parts together are the trace of one ``TraceReader``, to the number of each key. A part that cannot be read,
/// since something is wrong in it or since it was cut between quotes, leaves the whole to such a reader, which knows
/// the place.
package struct TraceParts: Sendable {
  private let format: TraceFormat
  private let name: String
  private var options: ReadingOptions
  private let bytes: Int
  /// Where the names of columns end, which each part needs.
  private var headerEnd = 0
  /// Where parts begin.
  private var starts = [0]

  /// How many there are, at least one.
  package var count: Int { starts.count }

  /// Finds the cuts.
  package init(
    _ bytes: Span<UInt8>, format: TraceFormat, name: String, options: ReadingOptions, most: Int,
    least: Int = 1 << 22
  ) {
    (self.format, self.name, self.options, self.bytes) = (format, name, options, bytes.count)
    let wanted = min(most, bytes.count / max(1, least))
    guard wanted > 1 else { return }
    if format.namesColumns {
      // Behind a blank line, which is passed over, another is the header.
      guard bytes[0] > UInt8(ascii: "\r") else { return }
      headerEnd = Self.endOfLine(in: bytes, from: 0)
      // Between quotes a line can end within the header.
      for place in 0..<headerEnd where bytes[place] == UInt8(ascii: "\"") { return }
    }
    for part in 1..<wanted {
      let place = bytes.count / wanted * part
      let start =
        format.recordBytes.map { place / $0 * $0 } ?? Self.endOfLine(in: bytes, from: place)
      guard start > max(starts[part - 1], headerEnd), start < bytes.count else { break }
      starts.append(start)
    }
    // All parts and what they become must fit into the memory of one reader.
    if count > 1 { self.options.limits.memoryBytes /= 2 * count }
  }

  /// Where the next line begins.
  private static func endOfLine(in bytes: Span<UInt8>, from place: Int) -> Int {
    var end = place
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    return min(end + 1, bytes.count)
  }

  /// Reads one part.
  package func read(_ part: Int, of whole: Span<UInt8>) throws(TraceError) -> TraceReader {
    var reader = TraceReader(format: format, name: name, options: options)
    if part > 0, headerEnd > 0 { try reader.consume(whole.extracting(0..<headerEnd)) }
    let end = part + 1 < count ? starts[part + 1] : bytes
    // The first takes in the others; where all are too much, none begins.
    try reader.expect(bytes: bytes)
    try reader.consume(whole.extracting(starts[part]..<end))
    try reader.end()
    return reader
  }

  /// The whole trace.
  ///
  /// - Parameter readers: of all parts in their order; taken, since a copy would be as large.
  /// - Returns: `nil` where one is missing.
  /// - Throws: ``TraceError`` where together they are too much, or nothing.
  package static func joined(
    _ readers: inout [TraceReader?]
  ) throws(TraceError) -> InternedTrace? {
    guard var whole = readers[0].take() else { return nil }
    for part in readers.indices.dropFirst() {
      guard let reader = readers[part].take() else { return nil }
      try whole.append(reader)
    }
    return try whole.trace()
  }
}
