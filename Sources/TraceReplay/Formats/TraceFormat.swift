package struct TraceFormat: Sendable {
  package let name: String
  package let summary: String
  /// The supported columns besides keys.
  package let columns: TraceColumns
  /// The size of a record in bytes, if it is fixed.
  package let recordBytes: Int?
  /// Whether it consists of lines of text, possibly after a byte order mark.
  package var isText: Bool { recordBytes == nil }
  /// Whether its columns have names, which may differ from the usual ones.
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

/// Decodes records from the bytes of one format, in chunks of any size.
protocol TraceDecoder: Sendable {
  /// The present trace's columns besides keys; `nil`: not known, or all of its format.
  var columns: TraceColumns? { get }
  mutating func decode(_ bytes: Span<UInt8>, into batch: inout RecordBatch) throws(TraceError)
  /// Ends the input: pending bytes are a complete last record, or an error.
  mutating func finish(into batch: inout RecordBatch) throws(TraceError)
}

/// Encodes records as the bytes of one format.
protocol TraceEncoder: Sendable {
  /// The bytes before the first record.
  var header: [UInt8] { get }
  /// Appends one line; throws for data that the format does not support.
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

protocol TraceLine: Sendable {
  /// Returns the maximum number of bytes of a line, without its terminator.
  static func limit(_ limits: TraceLimits) -> Int
  /// Appends the content of a line, if any; the line has no terminator.
  static func append(
    _ line: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault)
}

extension TraceLine {
  static func limit(_ limits: TraceLimits) -> Int { limits.keyBytes }
}

/// Decodes any ``TraceLine``; lines end with LF or CRLF.
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

protocol FixedRecord: Sendable {
  static var format: String { get }
  static var bytes: Int { get }
  /// Appends the record in a span of exactly ``bytes``.
  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault)
  /// Appends all records in a span in one call, if none can be invalid.
  ///
  /// It returns whether it did; otherwise they are appended one by one.
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool
}

extension FixedRecord {
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool { false }
}

/// Decodes any ``FixedRecord``, complete records in place, and one that is split between chunks.
struct FixedRecordDecoder<Record: FixedRecord>: TraceDecoder {
  private let wanted: TraceColumns
  /// The number of bytes before the present ones.
  private var consumed = 0
  /// The beginning of an incomplete record.
  private var pending: [UInt8] = []

  init(wanted: TraceColumns = []) {
    self.wanted = wanted
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    var start = 0
    if !pending.isEmpty {
      start = min(Record.bytes - pending.count, bytes.count)
      for index in 0..<start { pending.append(bytes[index]) }
      guard pending.count == Record.bytes else {
        consumed += bytes.count
        return
      }
      try take(pending.span.bytes, at: consumed + start - Record.bytes, into: &batch)
      pending.removeAll(keepingCapacity: true)
    }
    let raw = bytes.bytes
    let whole = start + (raw.byteCount - start) / Record.bytes * Record.bytes
    if Record.appendAll(raw.extracting(start..<whole), to: &batch, wanted: wanted) {
      start = whole
    }
    while start + Record.bytes <= raw.byteCount {
      try take(
        raw.extracting(start..<start + Record.bytes), at: consumed + start, into: &batch)
      start += Record.bytes
    }
    for index in start..<bytes.count { pending.append(bytes[index]) }
    consumed += bytes.count
  }

  private func take(
    _ record: RawSpan, at offset: Int, into batch: inout RecordBatch
  ) throws(TraceError) {
    do throws(RecordFault) {
      try Record.append(record, to: &batch, wanted: wanted)
    } catch {
      throw .binaryRecord(offset: offset, error)
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    guard pending.isEmpty else {
      throw .truncatedRecord(
        format: Record.format, offset: consumed - pending.count, found: pending.count,
        recordBytes: Record.bytes)
    }
  }
}

/// The meaning of a column in a text file.
package enum ColumnRole: String, Hashable, Sendable, CaseIterable {
  case key, operation, size, ttl, time
  /// The number of equal lines that the row represents.
  case count
  /// The length of the key, which is added to the size.
  case keySize = "key-size"

  /// Its index among all, so that a look-up of a column is one load.
  fileprivate var ordinal: Int {
    switch self {
    case .key: 0
    case .operation: 1
    case .size: 2
    case .ttl: 3
    case .time: 4
    case .count: 5
    case .keySize: 6
    }
  }
}

/// The columns of a kind of CSV file.
struct ColumnProfile: Sendable {
  var format: String
  /// The usual names of a column, in lower case; a column without names is never searched.
  var names: [ColumnRole: [String]]
  /// The columns of a file without a header, in order.
  var fixed: [ColumnRole?]?

  static let csv = ColumnProfile(
    format: "csv",
    names: [
      .key: ["key", "id", "object"], .operation: ["op", "operation"],
      .size: ["size", "bytes", "weight"], .ttl: ["ttl", "lifetime"],
      .time: ["time", "timestamp"],
    ])
}

struct ColumnPlaces: Sendable {
  var count: Int
  private var places = [Int?](repeating: nil, count: ColumnRole.allCases.count)
  private var titles: [ColumnRole: String] = [:]

  /// Creates the indices of a file without a header.
  init(fixed: [ColumnRole?]) {
    count = fixed.count
    for (place, role) in fixed.enumerated() {
      guard let role else { continue }
      places[role.ordinal] = place
      titles[role] = role.rawValue
    }
  }

  /// Finds columns in a header, by the user's names or the usual ones.
  init(
    header: [String], profile: ColumnProfile, given: [ColumnRole: String]
  ) throws(RecordFault) {
    count = header.count
    for role in ColumnRole.allCases {
      let names = given[role].map { [Self.name($0)] } ?? profile.names[role] ?? []
      let found = header.indices.filter { names.contains(header[$0]) }
      guard found.count <= 1 else { throw .severalColumns(found.map { header[$0] }) }
      if let place = found.first {
        places[role.ordinal] = place
        titles[role] = header[place]
      } else if role == .key || given[role] != nil {
        throw .noColumn(named: names)
      }
    }
  }

  /// Returns a column's name as names are compared: in lower case, without blanks around it.
  static func name(_ text: String) -> String {
    let start = text.lowercased().drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  subscript(role: ColumnRole) -> Int? { places[role.ordinal] }

  /// Returns the file's name of the column.
  func title(_ role: ColumnRole) -> String { titles[role] ?? role.rawValue }

  mutating func drop(_ role: ColumnRole) { places[role.ordinal] = nil }
}
