extension TraceFormat {
  static let text = TraceFormat(
    name: "text", summary: "One key per line, any bytes; blank lines are skipped.",
    decoder: { LineDecoder<TextLine>($0) },
    encoder: { _ in TextEncoder(mark: nil) })
}

/// One key per line: the bytes between line terminators.
enum TextLine: TraceLine {
  static func append(
    _ line: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault) {
    if !line.isEmpty { batch.append(line) }
  }
}

/// Encodes one key per line.
struct TextEncoder: TraceEncoder {
  /// A byte that no key may contain, since its line would be skipped.
  var mark: UInt8?

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides([])
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text):
      // A line terminator inside would create two keys, and one at the end would be lost.
      guard !text.contains(UInt8(ascii: "\n")), text.last != UInt8(ascii: "\r") else {
        throw .key("it contains a line end")
      }
      if let mark {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard !text.contains(mark), text.first.map(isBlank) == false,
          text.last.map(isBlank) == false
        else { throw .key("it contains a mark, or blanks at an end") }
      }
      bytes.append(contentsOf: text)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
