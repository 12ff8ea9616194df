/// Reads a trace from bytes handed in, a chunk at a time.
///
/// After an error the reader is spent. Memory grows with requests and distinct keys, never with the
/// length of a line.
package struct TraceReader: Sendable {
  private let format: TraceFormat
  private let name: String
  private var decoder: any TraceDecoder
  private var keys: KeyInterner

  /// Makes a reader before the first byte.
  ///
  /// - Parameters:
  ///   - format: how the bytes are to be read.
  ///   - name: what results call the trace.
  ///   - limits: what is accepted.
  package init(format: TraceFormat, name: String, limits: TraceLimits = .standard) {
    self.format = format
    self.name = name
    decoder = format.makeDecoder(limits)
    keys = KeyInterner(limits: limits)
  }

  package mutating func consume(_ bytes: Span<UInt8>) throws(TraceError) {
    try decoder.consume(bytes, into: &keys)
  }

  /// The whole trace, once the input has ended.
  ///
  /// - Throws: ``TraceError`` for an unfinished record or a trace without requests.
  package mutating func finish() throws(TraceError) -> InternedTrace {
    try decoder.finish(into: &keys)
    guard !keys.ids.isEmpty else { throw .noRequests(format: format.name) }
    return InternedTrace(name: name, ids: keys.ids, distinct: keys.distinct)
  }

  /// Reads a trace that is in memory whole.
  package static func read(
    _ bytes: [UInt8], format: TraceFormat, name: String, limits: TraceLimits = .standard
  ) throws(TraceError) -> InternedTrace {
    var reader = TraceReader(format: format, name: name, limits: limits)
    try reader.consume(bytes.span)
    return try reader.finish()
  }
}
