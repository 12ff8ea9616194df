/// A line of a text format.
protocol TraceLine: Sendable {
  /// The most bytes of a line, without its end.
  static func limit(_ limits: TraceLimits) -> Int
  /// Appends what the line says, if it says anything; the line is without its end.
  static func append(
    _ line: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault)
}

extension TraceLine {
  static func limit(_ limits: TraceLimits) -> Int { limits.keyBytes }
}

/// Decodes any ``TraceLine``; lines end in LF or CRLF.
struct LineDecoder<Line: TraceLine>: TraceDecoder {
  private let options: ReadingOptions
  private var lines: LineSplitter

  init(_ options: ReadingOptions) {
    self.options = options
    lines = LineSplitter(limit: Line.limit(options.limits))
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    let options = options
    try lines.consume(bytes) { text, number throws(TraceError) in
      try Self.take(text, number, options, into: &batch)
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    let options = options
    try lines.finish { text, number throws(TraceError) in
      try Self.take(text, number, options, into: &batch)
    }
  }

  private static func take(
    _ line: Span<UInt8>, _ number: Int, _ options: ReadingOptions, into batch: inout RecordBatch
  ) throws(TraceError) {
    do throws(RecordFault) {
      try Line.append(line, to: &batch, options: options)
    } catch {
      throw .record(line: number, error)
    }
  }
}
