import Text

extension TraceFormat {
  static let csv = TraceFormat(
    name: "csv",
    summary:
      "RFC 4180 with a header: key (or id, object), and if there are op, size, ttl, time (in s).",
    columns: .all, namesColumns: true, decoder: { CSVDecoder(.csv, $0) },
    encoder: { CSVEncoder(columns: $0) })
}

/// Decodes the columns of a CSV file that a ``ColumnProfile`` names; all others are ignored.
///
/// A file without a column of operations contains gets. An empty size, lifetime or time is unknown, an empty
/// operation is an error.
struct CSVDecoder: TraceDecoder {
  private let profile: ColumnProfile
  private let options: ReadingOptions
  /// The unit of times in nanoseconds.
  private let timeUnit: Int
  private var parser: CSVRecordParser
  private var places: ColumnPlaces?

  init(_ profile: ColumnProfile, _ options: ReadingOptions) {
    self.profile = profile
    self.options = options
    timeUnit = options.timeUnit.asNanoseconds
    parser = CSVRecordParser(.lenient, recordLimit: options.limits.recordBytes)
    if let fixed = profile.fixed { places = selected(ColumnPlaces(fixed: fixed)) }
  }

  var columns: TraceColumns? {
    guard let places else { return nil }
    var columns: TraceColumns = []
    if places[.operation] != nil { columns.insert(.operations) }
    if places[.size] != nil { columns.insert(.weights) }
    if places[.ttl] != nil { columns.insert(.lifetimes) }
    if places[.time] != nil { columns.insert(.times) }
    return columns
  }

  mutating func decode(
    _ bytes: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    var place = 0
    while true {
      do throws(CSVFault) {
        guard try parser.next(bytes, from: &place) else { return }
      } catch {
        throw .record(line: parser.recordLine, .csv(error))
      }
      try takeRecord(bytes, into: &batch)
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    do throws(CSVFault) {
      guard try parser.finish() else { return }
    } catch {
      throw .record(line: parser.recordLine, .csv(error))
    }
    try takeRecord(Span(), into: &batch)
  }

  private mutating func takeRecord(
    _ piece: Span<UInt8>, into batch: inout RecordBatch
  ) throws(TraceError) {
    do throws(RecordFault) {
      guard let places else {
        places = selected(
          try ColumnPlaces(
            header: parser.columnNames(in: piece), profile: profile, given: options.columnNames))
        return
      }
      if parser.isPlain {
        try append(places, piece, to: &batch)
      } else {
        let unquoted = parser.unquoted
        try append(places, unquoted.span, to: &batch)
      }
    } catch {
      throw .record(line: parser.recordLine, error)
    }
  }

  /// Removes the columns that are not requested.
  private func selected(_ all: ColumnPlaces) -> ColumnPlaces {
    var places = all
    if !options.columns.contains(.operations) { places.drop(.operation) }
    if !options.columns.contains(.weights) { places.drop(.size) }
    if !options.columns.contains(.lifetimes) { places.drop(.ttl) }
    let usesTimes = options.wantsTimesAlone || places[.ttl] != nil
    if !options.columns.contains(.times) || !usesTimes { places.drop(.time) }
    return places
  }

  private func append(
    _ places: ColumnPlaces, _ bytes: Span<UInt8>, to batch: inout RecordBatch
  ) throws(RecordFault) {
    let fields = parser.fields
    guard fields.count == places.count else {
      throw .fieldCount(expected: places.count, found: fields.count)
    }
    let key = fields[places[.key] ?? 0]
    guard !key.isEmpty else { throw .emptyKey }
    guard key.count <= options.limits.keyBytes else {
      throw .keyTooLong(limit: options.limits.keyBytes)
    }
    var record = TraceRecord()
    if let place = places[.operation] {
      guard let operation = OperationName.operation(bytes.extracting(fields[place])) else {
        let name = fields[place].prefix(40).map { bytes[$0] }
        throw .unknownOperation(String(decoding: name, as: UTF8.self))
      }
      record.operation = operation
    }
    record.weight = try weight(places, bytes)
    record.lifetime = try nanoseconds(.ttl, places, bytes)
    record.time = try nanoseconds(.time, places, bytes)
    if let place = places[.count] {
      let limit = options.limits.requests
      guard let count = DecimalDigits.whole(bytes.extracting(fields[place]), upTo: limit), count > 0
      else { throw .outOfRange(column: places.title(.count), limit: limit) }
      record.count = count
    }
    if record == TraceRecord() {
      batch.append(bytes.extracting(key))
    } else {
      batch.append(bytes.extracting(key), record)
    }
  }

  /// Returns the size, including that of the key if it has a column; 0 if it is unknown.
  private func weight(
    _ places: ColumnPlaces, _ bytes: Span<UInt8>
  ) throws(RecordFault) -> Int32 {
    let size = try bytesOf(.size, places, bytes)
    // If the value's size is unknown, so is the total.
    guard size > 0 else { return 0 }
    guard let weight = Int32(exactly: size + (try bytesOf(.keySize, places, bytes))) else {
      throw .sizeOutOfRange(column: places.title(.size))
    }
    return weight
  }

  private func bytesOf(
    _ role: ColumnRole, _ places: ColumnPlaces, _ bytes: Span<UInt8>
  ) throws(RecordFault) -> Int {
    guard let place = places[role], !parser.fields[place].isEmpty else { return 0 }
    let text = bytes.extracting(parser.fields[place])
    guard let size = DecimalDigits.whole(text, upTo: Int(Int32.max)) else {
      let title = places.title(role)
      throw .notFromZero(text, column: title, .sizeOutOfRange(column: title))
    }
    return size
  }

  private func nanoseconds(
    _ role: ColumnRole, _ places: ColumnPlaces, _ bytes: Span<UInt8>
  ) throws(RecordFault) -> Int64 {
    guard let place = places[role], !parser.fields[place].isEmpty else { return 0 }
    let text = bytes.extracting(parser.fields[place])
    guard let value = DecimalDigits.scaled(text, by: timeUnit) else {
      let title = places.title(role)
      throw .notFromZero(text, column: title, .notATime(column: title))
    }
    return Int64(value)
  }
}

extension CSVRecordParser {
  /// Returns the fields of the present record as column names.
  func columnNames(in piece: Span<UInt8>) -> [String] {
    texts(in: piece).map { ColumnPlaces.name($0) }
  }
}

/// Encodes a CSV file with the columns of a trace; times and lifetimes are in seconds.
struct CSVEncoder: TraceEncoder {
  var columns: TraceColumns

  var header: [UInt8] {
    var names = ["key"]
    if columns.contains(.operations) { names.append("operation") }
    if columns.contains(.weights) { names.append("size") }
    if columns.contains(.lifetimes) { names.append("ttl") }
    if columns.contains(.times) { names.append("time") }
    return Array((names.joined(separator: ",") + "\n").utf8)
  }

  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    try record.requireNothingBesides(columns)
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text): Self.append(text, to: &bytes)
    }
    let comma = UInt8(ascii: ",")
    if columns.contains(.operations) {
      bytes.append(comma)
      bytes.append(contentsOf: "\(record.operation)".utf8)
    }
    if columns.contains(.weights) {
      bytes.append(comma)
      if record.weight > 0 { bytes.append(contentsOf: String(record.weight).utf8) }
    }
    if columns.contains(.lifetimes) {
      bytes.append(comma)
      if record.lifetime > 0 { Self.append(seconds: record.lifetime, to: &bytes) }
    }
    if columns.contains(.times) {
      bytes.append(comma)
      Self.append(seconds: record.time, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends a field, with quotes if necessary.
  private static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    // A byte order mark would be skipped at the start of a file.
    let isPlain = text.allSatisfy { byte in
      byte > UInt8(ascii: " ") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
        && byte < 0x80
    }
    CSVWriter.append(text, isQuoted: !isPlain, to: &bytes)
  }

  /// Appends exact decimals, without trailing zeros.
  static func append(seconds nanoseconds: Int64, to bytes: inout [UInt8]) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    bytes.append(contentsOf: String(seconds).utf8)
    guard rest > 0 else { return }
    var digits = String(rest)
    digits = "." + String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    bytes.append(contentsOf: digits.utf8)
  }
}
