import EvictionPolicies
import Text

extension TraceFormat {
  static let jsonLines = TraceFormat(
    name: "jsonl",
    summary:
      "JSON Lines: {\"key\":…,\"operation\":…,\"size\":…,\"ttl\":…,\"time\":…}, times in ns.",
    columns: .all, decoder: { LineDecoder<JSONLine>($0) },
    encoder: { _ in JSONLinesEncoder() })
}

/// One object per line, with a key, which is a string or an integer, and optional members.
///
/// A missing member is unknown; an unexpected one is an error. The number 7 and the string "7" are the same
/// key. `operation` has any name in ``OperationName``; `size` is in bytes, `ttl` and `time` are integers in
/// nanoseconds. Blank lines are skipped.
enum JSONLine: TraceLine {
  static func limit(_ limits: TraceLimits) -> Int { limits.recordBytes }

  static func append(
    _ text: Span<UInt8>, to batch: inout RecordBatch, options: ReadingOptions
  ) throws(RecordFault) {
    var scanner = JSONScanner()
    scanner.skipSpace(text)
    guard scanner.peek(text) != nil else { return }
    let members = try members(text, from: &scanner)
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
        guard let size = DecimalDigits.whole(member.value.span, upTo: Int(Int32.max)) else {
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

  private static func nanoseconds(_ member: Member) throws(RecordFault) -> Int64 {
    guard let value = DecimalDigits.scaled(member.value.span, by: 1) else {
      throw .notFromZero(
        member.value.span, column: member.name, .notATime(column: member.name))
    }
    return Int64(value)
  }

  private struct Member {
    var name: String
    /// The unescaped bytes of a string, or all digits of a number.
    var value: [UInt8]
  }

  /// The maximum number of members, more than in any record; a duplicate name is an error before.
  private static let memberLimit = 16

  /// Parses the members of the flat object in a line; there is no nesting, so no input causes recursion.
  private static func members(
    _ text: Span<UInt8>, from scanner: inout JSONScanner
  ) throws(RecordFault) -> [Member] {
    var members: [Member] = []
    var negative: String?
    do throws(JSONFault) {
      try scanner.expect("{", text)
      while try scanner.more(until: "}", isFirst: members.isEmpty, text) {
        let name = try scanner.name(text)
        guard !members.contains(where: { $0.name == name }) else { throw .repeatedName(name) }
        guard members.count < memberLimit else { throw .tooManyMembers(limit: memberLimit) }
        try scanner.expect(":", text)
        scanner.skipSpace(text)
        if scanner.peek(text) == UInt8(ascii: "-") {
          negative = name
          break
        }
        let isString = scanner.take("\"", text)
        let value = try isString ? scanner.string(text) : scanner.digits(text).map { text[$0] }
        members.append(Member(name: name, value: value))
      }
      if negative == nil { try scanner.finish(text) }
    } catch {
      throw .notJSON(words(error, at: scanner.place))
    }
    if let negative { throw .negative(column: negative) }
    return members
  }

  private static func words(_ fault: JSONFault, at place: Int) -> String {
    switch fault {
    case .missing(let letter): "'\(letter)' is missing at byte \(place + 1) of the line"
    case .repeatedName(let name): "the member '\(name.excerpt)' occurs twice"
    case .tooManyMembers: "there are too many members"
    case .textAfterValue: "something follows the object"
    case .openString: "a string is not closed"
    case .cutEscape: "an escape is cut short"
    case .notUTF8: "a string is not UTF-8"
    case .controlCharacter: "a string holds a control character"
    case .unknownEscape: "an escape is unknown"
    case .notHexadecimal: "an escape is not four hexadecimal digits"
    case .loneSurrogate: "a surrogate stands alone"
    default: "a value is neither a string nor a whole number from 0"
    }
  }
}

/// Encodes an object per line, with the members that are known.
struct JSONLinesEncoder: TraceEncoder {
  func encode(
    _ key: TraceKey, _ record: TraceRecord, into bytes: inout [UInt8]
  ) throws(EncodingFault) {
    bytes.append(contentsOf: "{\"key\":".utf8)
    switch key {
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .text(let text):
      guard String(validating: text, as: UTF8.self) != nil else { throw .key("it is not UTF-8") }
      JSONWriter.append(text, to: &bytes)
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
