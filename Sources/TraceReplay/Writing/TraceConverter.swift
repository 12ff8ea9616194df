import EvictionPolicies

/// Converts a trace from one format to another, in chunks.
///
/// Data that the other format does not support is an error, unless its omission was requested. It must not be
/// used after an error. Its memory is independent of the trace's length, except if keys are numbered.
package struct TraceConverter {
  /// The data to omit.
  package struct Losses: Hashable, Sendable {
    /// The columns to omit; without operations, only the gets are written.
    package var columns: TraceColumns
    /// Whether keys are replaced by numbers from 0, by first appearance.
    package var numbersKeys: Bool

    package init(columns: TraceColumns = [], numbersKeys: Bool = false) {
      self.columns = columns
      self.numbersKeys = numbersKeys
    }
  }

  package private(set) var lines = 0
  /// The number of omitted lines, which are not gets.
  package private(set) var omitted = 0

  private let source: TraceFormat
  private let target: TraceFormat
  private let losses: Losses
  private var decoder: any TraceDecoder
  private var encoder: (any TraceEncoder)?
  private var batch = RecordBatch()
  private var numbers = KeyTable()
  private var output: [UInt8] = []

  private static let pieceBytes = 1 << 16

  package init(
    from source: TraceFormat, to target: TraceFormat, options: ReadingOptions = .standard,
    losses: Losses = Losses()
  ) {
    self.source = source
    self.target = target
    self.losses = losses
    decoder = source.makeDecoder(options)
  }

  /// Converts bytes of the source, and passes the result.
  package mutating func consume(_ bytes: Span<UInt8>, _ write: ([UInt8]) throws -> Void) throws {
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.pieceBytes, bytes.count)
      batch.removeAll()
      try decoder.decode(bytes.extracting(start..<end), into: &batch)
      try encodeBatch(write)
      start = end
    }
  }

  package mutating func finish(_ write: ([UInt8]) throws -> Void) throws {
    batch.removeAll()
    try decoder.finish(into: &batch)
    try encodeBatch(write)
    guard lines > 0 else { throw TraceError.noRequests(format: source.name) }
    try flush(write)
  }

  private mutating func encodeBatch(_ write: ([UInt8]) throws -> Void) throws {
    for index in 0..<batch.count {
      let record = batch[index]
      guard !losses.columns.contains(.operations) || record.operation == .get else {
        omitted += record.count
        continue
      }
      for repetition in 0..<record.count {
        try encode(try key(of: index, record, repetition), record.without(losses.columns))
        if output.count >= Self.pieceBytes { try flush(write) }
      }
    }
  }

  private mutating func key(
    of index: Int, _ record: TraceRecord, _ repetition: Int
  ) throws(TraceError) -> TraceKey {
    guard !batch.isText(at: index) else {
      return losses.numbersKeys
        ? .integer(UInt64(try numbers.number(of: index, in: batch)))
        : .text(batch.text[batch.text(at: index)])
    }
    let integer = batch.keys[index] &+ (record.isRun ? UInt64(repetition) : 0)
    return .integer(losses.numbersKeys ? UInt64(try numbers.number(of: integer)) : integer)
  }

  private mutating func encode(_ key: TraceKey, _ record: TraceRecord) throws(ConversionError) {
    if encoder == nil {
      let columns = (decoder.columns ?? source.columns).subtracting(losses.columns)
      let made = target.makeEncoder(columns)
      output += made.header
      encoder = made
    }
    do throws(EncodingFault) {
      try encoder?.encode(key, record, into: &output)
    } catch {
      throw ConversionError(line: lines + omitted + 1, format: target.name, fault: error)
    }
    lines += 1
  }

  private mutating func flush(_ write: ([UInt8]) throws -> Void) throws {
    guard !output.isEmpty else { return }
    try write(output)
    output.removeAll(keepingCapacity: true)
  }
}

/// The reason why a trace cannot be converted, with its location.
package struct ConversionError: Error, Hashable, CustomStringConvertible {
  /// The line of the trace, counted from 1, which may differ from that of a text file.
  package var line: Int
  package var format: String
  package var fault: EncodingFault

  package var description: String { "request \(line) does not fit into '\(format)': \(fault)" }
}

extension TraceRecord {
  /// Returns the record as one line without some columns.
  fileprivate func without(_ columns: TraceColumns) -> TraceRecord {
    TraceRecord(
      operation: columns.contains(.operations) ? .get : operation,
      weight: columns.contains(.weights) ? 0 : weight,
      lifetime: columns.contains(.lifetimes) ? 0 : lifetime,
      time: columns.contains(.times) ? 0 : time)
  }
}

/// The reason why a format does not support a line.
package enum EncodingFault: Error, Hashable, CustomStringConvertible {
  case column(TraceColumns)
  /// The format cannot represent the key.
  case key(String)
  /// A value is out of the format's range.
  case value(String)

  package var description: String {
    switch self {
    case .column(let columns):
      "it has \(columns.names), which the format has no place for; leave them out with --drop"
    case .key(let cause):
      "its key cannot be written: \(cause); number the keys with --number-keys"
    case .value(let cause):
      "\(cause); choose another format, or leave the column out with --drop"
    }
  }
}
