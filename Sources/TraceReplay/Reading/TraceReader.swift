import Text

/// Reads a trace from chunks of bytes, and numbers its keys.
///
/// It must not be used after an error. Its memory depends on the requests and distinct keys, never on the
/// length of a line.
package struct TraceReader: Sendable {
  private let format: TraceFormat
  private let name: String
  private let sampling: KeySampling?
  private let wanted: TraceColumns
  private var records: RecordReader
  private var keys: KeyInterner

  package init(format: TraceFormat, name: String, options: ReadingOptions = .standard) {
    self.format = format
    self.name = name
    sampling = options.sampling
    let columns = format.columns.intersection(options.columns)
    wanted = options.wantsTimesAlone ? columns : columns.subtracting(.times)
    records = RecordReader(format: format, options: options)
    keys = KeyInterner(limits: options.limits, sampling: options.sampling)
  }

  /// Notes the known length of the input, so that one that is too large is rejected immediately.
  package mutating func expect(bytes: Int) throws(TraceError) {
    guard sampling == nil, let recordBytes = format.recordBytes else { return }
    try keys.reserve(lines: bytes / recordBytes, columns: wanted)
  }

  package mutating func consume(_ bytes: Span<UInt8>) throws(TraceError) {
    try records.consume(bytes) { batch throws(TraceError) in try keys.append(batch) }
  }

  /// Returns the whole trace at the end of the input.
  package mutating func finish() throws(TraceError) -> InternedTrace {
    try end()
    return try trace()
  }

  /// The input of the reader has ended: what is pending is a whole record.
  mutating func end() throws(TraceError) {
    try records.finish { batch throws(TraceError) in try keys.append(batch) }
  }

  /// Takes what another has read of the part behind this one's.
  mutating func append(_ later: TraceReader) throws(TraceError) { try keys.append(later.keys) }

  /// What was read, once the input has ended.
  func trace() throws(TraceError) -> InternedTrace {
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

  /// Reads a trace that is completely in memory.
  package static func read(
    _ bytes: [UInt8], format: TraceFormat, name: String, options: ReadingOptions = .standard
  ) throws(TraceError) -> InternedTrace {
    var reader = TraceReader(format: format, name: name, options: options)
    try reader.consume(bytes.span)
    return try reader.finish()
  }
}

/// Reads the records of a trace from chunks of bytes.
///
/// It must not be used after an error.
struct RecordReader: Sendable {
  private var decoder: any TraceDecoder
  private var batch = RecordBatch()

  /// The size of a piece, small enough for a batch to remain in the processor's caches.
  private static let pieceBytes = 1 << 14

  init(format: TraceFormat, options: ReadingOptions) {
    decoder = format.makeDecoder(options)
  }

  /// Passes the records that the bytes complete, in batches.
  mutating func consume(
    _ bytes: Span<UInt8>, _ body: (RecordBatch) throws(TraceError) -> Void
  ) throws(TraceError) {
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.pieceBytes, bytes.count)
      batch.removeAll()
      try decoder.decode(bytes.extracting(start..<end), into: &batch)
      if batch.count > 0 { try body(batch) }
      start = end
    }
  }

  mutating func finish(
    _ body: (RecordBatch) throws(TraceError) -> Void
  ) throws(TraceError) {
    batch.removeAll()
    try decoder.finish(into: &batch)
    if batch.count > 0 { try body(batch) }
  }
}

package struct ReadingOptions: Hashable, Sendable {
  package var limits: TraceLimits
  /// The requested columns besides keys; others are neither read nor checked.
  package var columns: TraceColumns
  /// Whether times are requested even if no lifetime requires them.
  package var wantsTimesAlone: Bool
  /// The names of columns in a file with a header, instead of the usual ones.
  package var columnNames: [ColumnRole: String]
  package var timeUnit: TimeUnit
  /// The sample of keys; `nil`: all.
  package var sampling: KeySampling?

  package init(
    limits: TraceLimits = .standard, columns: TraceColumns = .all, wantsTimesAlone: Bool = true,
    columnNames: [ColumnRole: String] = [:], timeUnit: TimeUnit = .seconds,
    sampling: KeySampling? = nil
  ) {
    self.limits = limits
    self.columns = columns
    self.wantsTimesAlone = wantsTimesAlone
    self.columnNames = columnNames
    self.timeUnit = timeUnit
    self.sampling = sampling
  }

  package static let standard = ReadingOptions()
}

package struct TraceLimits: Hashable, Sendable {
  /// The maximum size of a key, in bytes.
  package var keyBytes = 4096
  /// The maximum size of a record in a text file with columns, in bytes, including quotes.
  package var recordBytes = 65_536
  /// The maximum number of requests; each takes four bytes of memory.
  package var requests = 2_000_000_000
  /// The maximum memory of a trace while it is read, in bytes.
  package var memoryBytes = Int.max

  package static let standard = TraceLimits()
}

/// The unit of times and lifetimes in a text file.
package enum TimeUnit: String, Hashable, Sendable, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  /// The unit in nanoseconds.
  var asNanoseconds: Int { Int(Dimension.duration.factor(of: rawValue) ?? 1) }
}

/// Splits bytes into lines, which end with LF or CRLF, and buffers only the beginning of one.
struct LineSplitter: Sendable {
  private let limit: Int
  /// The beginning of an incomplete line.
  private var pending: [UInt8] = []
  /// The line of the next byte, counted from 1.
  private var line = 1

  init(limit: Int) {
    self.limit = limit
  }

  /// Passes each complete line, without its terminator, with its number; also blank ones.
  mutating func consume(
    _ bytes: Span<UInt8>, _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      let part = bytes.extracting(start..<index)
      if pending.isEmpty {
        try take(part, body)
      } else {
        try hold(part)
        try takePending(body)
      }
      line += 1
      start = index + 1
    }
    try hold(bytes.extracting(start..<bytes.count))
  }

  /// Ends the input: pending bytes are the last line.
  mutating func finish(
    _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    if !pending.isEmpty { try takePending(body) }
  }

  private mutating func hold(_ part: Span<UInt8>) throws(TraceError) {
    // One more byte than a line may have: the carriage return of its terminator.
    guard pending.count + part.count <= limit + 1 else {
      throw .lineTooLong(line: line, limit: limit)
    }
    for index in part.indices { pending.append(part[index]) }
  }

  private mutating func takePending(
    _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    try take(whole.span, body)
  }

  private func take(
    _ text: Span<UInt8>, _ body: (Span<UInt8>, Int) throws(TraceError) -> Void
  ) throws(TraceError) {
    var end = text.count
    if end > 0, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end <= limit else { throw .lineTooLong(line: line, limit: limit) }
    try body(text.extracting(0..<end), line)
  }
}
