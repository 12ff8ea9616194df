import EvictionPolicies

extension TraceFormat {
  static let jsonLines = TraceFormat(
    name: "jsonl",
    summary:
      "JSON Lines: {\"key\":…,\"operation\":…,\"size\":…,\"ttl\":…,\"time\":…}, times in ns.",
    columns: .all, decoder: { LineDecoder<JSONLine>($0) },
    encoder: { _ in JSONLinesEncoder() })
}

/// One object a line, with a key, which is a string or a whole number, and what else is known.
///
/// A member that is absent says nothing; one that is unknown is an error. The number 7 and the string
/// "7" are one key. `operation` has any name that ``OperationName`` knows; `size` is in bytes, `ttl`
/// and `time` are whole nanoseconds. Blank lines are skipped.
enum JSONLine: TraceLine {
  static func limit(_ limits: TraceLimits) -> Int { limits.recordBytes }

  static func append(
    _ text: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault) {
    var scanner = JSONScanner()
    guard !scanner.isAtEnd(of: text) else { return }
    let members = try scanner.object(text)
    var record = TraceRecord()
    var key: [UInt8]?
    for member in members {
      switch member.name {
      case "key": key = member.value
      case "operation", "op":
        guard let operation = OperationName.operation(member.value.span) else {
          throw .unknownOperation(String(decoding: member.value.prefix(40), as: UTF8.self))
        }
        if options.columns.contains(.operations) { record.operation = operation }
      case "size":
        guard let size = RecordNumber.whole(member.value.span, upTo: Int(Int32.max)) else {
          throw .notFromZero(
            member.value.span, column: "size", .sizeOutOfRange(column: "size"))
        }
        if options.columns.contains(.weights) { record.weight = Int32(size) }
      case "ttl":
        let lifetime = try nanoseconds(member)
        if options.columns.contains(.lifetimes) { record.lifetime = lifetime }
      case "time":
        let time = try nanoseconds(member)
        if options.columns.contains(.times) { record.time = time }
      default: throw .unknownMember(String(member.name.prefix(40)))
      }
    }
    guard let key, !key.isEmpty else { throw .emptyKey }
    guard key.count <= options.limits.keyBytes else {
      throw .keyTooLong(limit: options.limits.keyBytes)
    }
    if record == TraceRecord() { batch.append(key.span) } else { batch.append(key.span, record) }
  }

  private static func nanoseconds(
    _ member: JSONScanner.Member
  ) throws(RecordFault) -> Int64 {
    guard let value = RecordNumber.nanoseconds(member.value.span, unit: .nanoseconds) else {
      throw .notFromZero(
        member.value.span, column: member.name, .notATime(column: member.name))
    }
    return value
  }
}

/// Writes an object per line, with the members that say something.
struct JSONLinesEncoder: TraceEncoder {
  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    bytes.append(contentsOf: "{\"key\":".utf8)
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text):
      guard let string = String(validating: text, as: UTF8.self) else {
        throw .key("it is not UTF-8")
      }
      bytes.append(UInt8(ascii: "\""))
      for scalar in string.unicodeScalars {
        switch scalar {
        case "\"", "\\": bytes.append(contentsOf: "\\\(scalar)".utf8)
        case "\u{0}"..<"\u{20}", "\u{7F}":
          let digits = String(scalar.value, radix: 16)
          bytes.append(
            contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        default: bytes.append(contentsOf: String(scalar).utf8)
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }
    if record.operation != .get {
      bytes.append(contentsOf: ",\"operation\":\"\(record.operation)\"".utf8)
    }
    if record.weight != 0 { bytes.append(contentsOf: ",\"size\":\(record.weight)".utf8) }
    if record.lifetime != 0 { bytes.append(contentsOf: ",\"ttl\":\(record.lifetime)".utf8) }
    if record.time != 0 { bytes.append(contentsOf: ",\"time\":\(record.time)".utf8) }
    bytes.append(contentsOf: "}\n".utf8)
  }
}
