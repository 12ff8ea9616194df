import EvictionPolicies

extension TraceFormat {
  static let csv = TraceFormat(
    name: "csv",
    summary:
      "RFC 4180 with a header: key (or id, object), and if there are op, size, ttl, time (in s).",
    extensions: ["csv"], columns: .all, decoder: { CSVDecoder(.csv, $0) },
    encoder: { CSVEncoder(columns: $0) })
}

/// Reads the columns of a CSV file that a ``ColumnProfile`` names; every other column is ignored.
///
/// A file without a column of operations holds gets. An empty size, lifetime or time says nothing, an
/// empty operation is an error.
struct CSVDecoder: TraceDecoder {
  private let profile: ColumnProfile
  private let options: ReadingOptions
  private var parser: CSVRecordParser
  private var places: ColumnPlaces?

  init(_ profile: ColumnProfile, _ options: ReadingOptions) {
    self.profile = profile
    self.options = options
    parser = CSVRecordParser(limit: options.limits.recordBytes)
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
    for index in bytes.indices where try parser.consume(bytes[index]) {
      try takeRecord(into: &batch)
    }
  }

  mutating func finish(into batch: inout RecordBatch) throws(TraceError) {
    if try parser.finish() { try takeRecord(into: &batch) }
  }

  private mutating func takeRecord(into batch: inout RecordBatch) throws(TraceError) {
    do throws(RecordFault) {
      if let places {
        try takeRecord(places, into: &batch)
      } else {
        places = selected(
          try ColumnPlaces(
            header: parser.headerNames(), profile: profile, given: options.columnNames))
      }
    } catch {
      throw .record(line: parser.recordLine, error)
    }
  }

  /// Leaves out the columns that nobody wants.
  private func selected(_ all: ColumnPlaces) -> ColumnPlaces {
    var places = all
    if !options.columns.contains(.operations) { places.drop(.operation) }
    if !options.columns.contains(.weights) { places.drop(.size) }
    if !options.columns.contains(.lifetimes) { places.drop(.ttl) }
    let usesTimes = options.wantsTimesAlone || places[.ttl] != nil
    if !options.columns.contains(.times) || !usesTimes { places.drop(.time) }
    return places
  }

  private func takeRecord(
    _ places: ColumnPlaces, into batch: inout RecordBatch
  ) throws(RecordFault) {
    guard parser.fieldCount == places.count else {
      throw .fieldCount(expected: places.count, found: parser.fieldCount)
    }
    let key = parser.field(places[.key] ?? 0)
    guard !key.isEmpty else { throw .emptyKey }
    guard key.count <= options.limits.keyBytes else {
      throw .keyTooLong(limit: options.limits.keyBytes)
    }
    var record = TraceRecord()
    if let place = places[.operation] {
      let name = parser.field(place)
      guard let operation = OperationName.operation(name) else {
        throw .unknownOperation(String(decoding: name.prefix(40), as: UTF8.self))
      }
      record.operation = operation
    }
    record.weight = try weight(places)
    record.lifetime = try nanoseconds(.ttl, places)
    record.time = try nanoseconds(.time, places)
    if let place = places[.count] {
      guard let count = Quantity.whole(parser.field(place), upTo: options.limits.requests),
        count > 0
      else { throw .outOfRange(column: places.title(.count), limit: options.limits.requests) }
      record.count = count
    }
    if record == TraceRecord() { batch.append(key.span) } else { batch.append(key.span, record) }
  }

  /// The size, with that of the key if there is a column for it; 0 where there is none.
  private func weight(_ places: ColumnPlaces) throws(RecordFault) -> Int32 {
    var sum = 0
    guard let size = places[.size] else { return 0 }
    for (role, place) in [(ColumnRole.size, size), (.keySize, places[.keySize])] {
      guard let place, !parser.field(place).isEmpty else { continue }
      guard let bytes = Quantity.whole(parser.field(place), upTo: Int(Int32.max)) else {
        throw .sizeOutOfRange(column: places.title(role))
      }
      // A value whose size is not known makes a whole that is not known.
      if role == .size, bytes == 0 { return 0 }
      sum += bytes
    }
    guard let weight = Int32(exactly: sum) else {
      throw .sizeOutOfRange(column: places.title(.size))
    }
    return weight
  }

  private func nanoseconds(
    _ role: ColumnRole, _ places: ColumnPlaces
  ) throws(RecordFault) -> Int64 {
    guard let place = places[role], !parser.field(place).isEmpty else { return 0 }
    guard let value = Quantity.nanoseconds(parser.field(place), unit: options.timeUnit) else {
      throw .notATime(column: places.title(role))
    }
    return value
  }
}

extension CSVRecordParser {
  /// The fields of the record in hand as lower-case column names.
  func headerNames() -> [String] {
    (0..<fieldCount).map { text($0).lowercased() }
  }
}
