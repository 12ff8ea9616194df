extension TraceFormat {
  static let lirs = TraceFormat(
    name: "lirs",
    summary: "The LIRS traces: one block per line; blank lines and lines with * are skipped.",
    decoder: { LineDecoder<LIRSLine>($0) },
    encoder: { _ in TextEncoder(mark: UInt8(ascii: "*")) })
}

/// One block per line, with surrounding blanks ignored; a line with a `*` marks a phase, not a request.
///
/// Source: the traces of Jiang & Zhang, "LIRS", SIGMETRICS 2002, as their authors distribute them.
enum LIRSLine: TraceLine {
  static func append(
    _ text: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault) {
    var bounds = 0..<text.count
    while let first = bounds.first, isBlank(text[first]) { bounds.removeFirst() }
    while let last = bounds.last, isBlank(text[last]) { bounds.removeLast() }
    for index in bounds where text[index] == UInt8(ascii: "*") { return }
    if !bounds.isEmpty { batch.append(text.extracting(bounds)) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
