/// A form in which traces are recorded.
package struct TraceFormat: Sendable {
  package let name: String
  package let summary: String
  /// What it can say about a line besides its key.
  package let columns: TraceColumns
  /// The length of every record, where all have one.
  package let recordBytes: Int?
  /// Whether it is lines of text, before which a byte order mark may stand.
  package var isText: Bool { recordBytes == nil }
  /// Whether its columns have names, which may be other than the usual ones.
  package let namesColumns: Bool
  let makeDecoder: @Sendable (ReadingOptions) -> any TraceDecoder
  let makeEncoder: @Sendable (TraceColumns) -> any TraceEncoder

  init(
    name: String, summary: String, columns: TraceColumns = [],
    namesColumns: Bool = false, recordBytes: Int? = nil,
    decoder: @escaping @Sendable (ReadingOptions) -> any TraceDecoder,
    encoder: @escaping @Sendable (TraceColumns) -> any TraceEncoder
  ) {
    self.name = name
    self.summary = summary
    self.columns = columns
    self.namesColumns = namesColumns
    self.recordBytes = recordBytes
    makeDecoder = decoder
    makeEncoder = encoder
  }
}

/// Turns the bytes of one format into records, in pieces of any size.
protocol TraceDecoder: Sendable {
  /// What the trace in hand says besides keys; `nil`: not known, or whatever its format can say.
  var columns: TraceColumns? { get }
  mutating func decode(_ bytes: Span<UInt8>, into batch: inout RecordBatch) throws(TraceError)
  /// The input has ended: what is pending is a whole last record, or an error.
  mutating func finish(into batch: inout RecordBatch) throws(TraceError)
}

/// Turns records into the bytes of one format.
protocol TraceEncoder: Sendable {
  /// What stands before the first record.
  var header: [UInt8] { get }
  /// Appends one line; what the format cannot say is refused, never left out.
  mutating func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault)
}

extension TraceDecoder {
  var columns: TraceColumns? { nil }
}

extension TraceEncoder {
  var header: [UInt8] { [] }
}
