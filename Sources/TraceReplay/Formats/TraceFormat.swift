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

/// Records of one length.
protocol FixedRecord: Sendable {
  static var format: String { get }
  /// The length of a record.
  static var bytes: Int { get }
  /// Appends the record that the span holds, of exactly ``bytes``.
  static func append(
    _ record: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) throws(RecordFault)
  /// Appends all records that the span holds, in one call, where none can be wrong.
  ///
  /// Whether it did so; if not, they are appended one by one.
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool
}

extension FixedRecord {
  static func appendAll(
    _ records: RawSpan, to batch: inout RecordBatch, wanted: TraceColumns
  ) -> Bool { false }
}

/// Decodes any ``FixedRecord``, whole records in place, and one that is cut by the end of a piece.
struct FixedRecordDecoder<Record: FixedRecord>: TraceDecoder {
  private let wanted: TraceColumns
  /// How many bytes came before those in hand.
  private var consumed = 0
  /// The beginning of a record whose end has not arrived.
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

/// What a column of a text file says.
package enum ColumnRole: String, Hashable, Sendable, CaseIterable {
  case key, operation, size, ttl, time
  /// How many equal lines the row stands for.
  case count
  /// The length of the key, which adds to the size.
  case keySize = "key-size"

  /// Its place among all, so that finding a column is one load.
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

/// Which columns a kind of CSV file has.
struct ColumnProfile: Sendable {
  var format: String
  /// The usual names of a column, in lower case; a role without names is never looked for.
  var names: [ColumnRole: [String]]
  /// The columns of a file without header, in order.
  var fixed: [ColumnRole?]?

  static let csv = ColumnProfile(
    format: "csv",
    names: [
      .key: ["key", "id", "object"], .operation: ["op", "operation"],
      .size: ["size", "bytes", "weight"], .ttl: ["ttl", "lifetime"],
      .time: ["time", "timestamp"],
    ])
}

/// Where a file has its columns.
struct ColumnPlaces: Sendable {
  /// How many columns there are.
  var count: Int
  private var places = [Int?](repeating: nil, count: ColumnRole.allCases.count)
  private var titles: [ColumnRole: String] = [:]

  /// A file without header.
  init(fixed: [ColumnRole?]) {
    count = fixed.count
    for (place, role) in fixed.enumerated() {
      guard let role else { continue }
      places[role.ordinal] = place
      titles[role] = role.rawValue
    }
  }

  /// Looks up the names of a header, by the names that the user gave and else the usual ones.
  init(
    header: [String], profile: ColumnProfile, given: [ColumnRole: String]
  ) throws(RecordFault) {
    count = header.count
    for role in ColumnRole.allCases {
      let names = given[role].map { [$0.lowercased()] } ?? profile.names[role] ?? []
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

  subscript(role: ColumnRole) -> Int? { places[role.ordinal] }

  /// What the file calls the column.
  func title(_ role: ColumnRole) -> String { titles[role] ?? role.rawValue }

  mutating func drop(_ role: ColumnRole) { places[role.ordinal] = nil }
}
