/// Splits bytes into the records of RFC 4180, a byte at a time, holding one record.
///
/// Line ends are LF or CRLF; blank lines are no records; a byte order mark at the start is skipped.
struct CSVRecordParser: Sendable {
  private let limit: Int
  private var state = State.fieldStart
  private var bytes: [UInt8] = []
  /// Where in `bytes` each field ends.
  private var ends: [Int] = []
  private var line = 1
  private var length = 0
  private var position = 0
  private var isBlank = true
  private var isComplete = false
  /// The line on which the record in hand begins, counted from 1.
  private(set) var recordLine = 1

  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted, carriageReturn
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(limit: Int) {
    self.limit = limit
  }

  var fieldCount: Int { ends.count }

  /// Whether the next byte begins a record, and is none of the first, which may be a mark.
  var isBetweenRecords: Bool {
    position >= Self.byteOrderMark.count && (isComplete || length == 0) && state == .fieldStart
  }

  /// The bytes of all fields of the record in hand, one after the other.
  var fieldBytes: [UInt8] { bytes }

  func fieldRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// Passes over a line that was read elsewhere, of so many bytes, its end included.
  mutating func skipLine(length: Int) {
    reset()
    recordLine = line
    line += 1
    position += length
    isComplete = true
  }

  func field(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  func text(_ index: Int) -> String { String(decoding: field(index), as: UTF8.self) }

  /// Takes one byte; true when it completes a record, which stays readable until the next byte.
  mutating func consume(_ byte: UInt8) throws(TraceError) -> Bool {
    if isComplete { reset() }
    position += 1
    if position <= Self.byteOrderMark.count, byte == Self.byteOrderMark[position - 1] {
      return false
    }
    length += 1
    guard length <= limit else { throw .record(line: recordLine, .recordTooLong(limit: limit)) }
    let newline = UInt8(ascii: "\n")
    if byte == newline { line += 1 }
    if byte != newline, byte != UInt8(ascii: "\r") { isBlank = false }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): bytes.append(byte)
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      bytes.append(byte)
      state = .quoted
    case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
    case (.plain, UInt8(ascii: "\"")): throw .record(line: recordLine, .quoteInPlainField)
    case (_, newline): return endRecord()
    case (.carriageReturn, _): throw .record(line: recordLine, .loneCarriageReturn)
    case (_, UInt8(ascii: ",")): endField()
    case (.quoteInQuoted, UInt8(ascii: "\r")): state = .carriageReturn
    case (.quoteInQuoted, _): throw .record(line: recordLine, .textAfterQuote)
    case (_, UInt8(ascii: "\r")): state = .carriageReturn
    default:
      bytes.append(byte)
      state = .plain
    }
    return false
  }

  /// The input has ended; true when that completes a record.
  mutating func finish() throws(TraceError) -> Bool {
    if isComplete { reset() }
    if state == .carriageReturn { throw .record(line: recordLine, .loneCarriageReturn) }
    if state == .quoted { throw .record(line: recordLine, .openQuote) }
    return length > 0 && endRecord()
  }

  private mutating func endField() {
    ends.append(bytes.count)
    state = .fieldStart
  }

  private mutating func endRecord() -> Bool {
    endField()
    isComplete = true
    return !isBlank
  }

  private mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    length = 0
    isBlank = true
    recordLine = line
    isComplete = false
  }
}
