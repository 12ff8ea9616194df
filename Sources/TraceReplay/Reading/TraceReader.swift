/// Reads a trace from bytes handed in, a piece at a time, and numbers its keys.
///
/// After an error the reader is spent. Memory grows with requests and distinct keys, never with the
/// length of a line.
package struct TraceReader: Sendable {
  private let format: TraceFormat
  private let name: String
  private let sampling: KeySampling?
  /// The columns that will be held if the trace has them.
  private let wanted: TraceColumns
  private var records: RecordReader
  private var keys: KeyInterner

  /// Makes a reader before the first byte.
  ///
  /// - Parameters:
  ///   - format: how the bytes are to be read.
  ///   - name: what results call the trace.
  ///   - options: what is wanted and accepted.
  package init(format: TraceFormat, name: String, options: ReadingOptions = .standard) {
    self.format = format
    self.name = name
    sampling = options.sampling
    let columns = format.columns.intersection(options.columns)
    wanted = options.wantsTimesAlone ? columns : columns.subtracting(.times)
    records = RecordReader(format: format, options: options)
    keys = KeyInterner(limits: options.limits, sampling: options.sampling)
  }

  /// Tells how long the input is, where that is known, so that one too large is refused at once.
  package mutating func expect(bytes: Int) throws(TraceError) {
    guard sampling == nil, let recordBytes = format.recordBytes else { return }
    try keys.reserve(lines: bytes / recordBytes, columns: wanted)
  }

  package mutating func consume(_ bytes: Span<UInt8>) throws(TraceError) {
    try records.consume(bytes) { batch throws(TraceError) in try keys.append(batch) }
  }

  /// The whole trace, once the input has ended.
  ///
  /// - Throws: ``TraceError`` for an unfinished record or a trace without requests.
  package mutating func finish() throws(TraceError) -> InternedTrace {
    try records.finish { batch throws(TraceError) in try keys.append(batch) }
    guard !keys.ids.isEmpty else {
      if let sampling, keys.gets > 0 { throw .emptySample(rate: "\(sampling.rate)") }
      throw .noRequests(format: format.name)
    }
    var trace = InternedTrace(
      name: name, ids: keys.ids, distinct: keys.distinct, operations: keys.operations,
      weights: keys.weights, lifetimes: keys.lifetimes, times: keys.times)
    if let sampling { trace.sampledFrom = SampledFrom(sampling: sampling, gets: keys.gets) }
    return trace
  }

  /// Reads a trace that is in memory whole.
  package static func read(
    _ bytes: [UInt8], format: TraceFormat, name: String, options: ReadingOptions = .standard
  ) throws(TraceError) -> InternedTrace {
    var reader = TraceReader(format: format, name: name, options: options)
    try reader.consume(bytes.span)
    return try reader.finish()
  }
}
