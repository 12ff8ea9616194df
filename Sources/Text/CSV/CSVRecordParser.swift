/// What RFC 4180 forbids, or what is longer than allowed.
package enum CSVFault: Error, Hashable, Sendable {
  case quoteInPlainField, textAfterQuote, openQuote, loneCarriageReturn
  case recordTooLong(limit: Int)
  case fieldTooLong(limit: Int)
}

/// Splits bytes, handed in a piece at a time, into the records of RFC 4180, holding one record.
///
/// Lines end in LF or CRLF. A record that stands whole and without quotes in a piece, as most do, is not
/// copied: its fields are places in the piece.
package struct CSVRecordParser: Sendable {
  /// What a file may have besides records.
  package enum Form: Sendable {
    /// Blank lines, which are passed over.
    case lenient
    /// Nothing: a blank line is a record of one empty field.
    case strict
  }

  private let form: Form
  private let recordLimit: Int
  private let fieldLimit: Int
  private var state = State.fieldStart
  private var length = 0
  private var isBlank = true
  private var isComplete = false
  private var fieldStart = 0
  /// Where the fields of the record in hand stand: in the piece if it ``isPlain``, else in ``unquoted``.
  package private(set) var fields: [Range<Int>] = []
  /// Whether the record in hand stands whole in the piece, without quotes.
  package private(set) var isPlain = false
  /// The bytes of a record that is not plain, without its quotes.
  package private(set) var unquoted: [UInt8] = []
  /// The line of the next byte, counted from 1.
  package private(set) var line = 1
  /// The line on which the record in hand begins, counted from 1.
  package private(set) var recordLine = 1

  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted, carriageReturn
  }

  /// Makes a parser before the first byte; a limit is of a record with its quotes and its end, or of a
  /// field without its quotes, in bytes.
  package init(_ form: Form, recordLimit: Int = .max, fieldLimit: Int = .max) {
    self.form = form
    self.recordLimit = recordLimit
    self.fieldLimit = fieldLimit
  }

  /// Reads on from a place of the piece until a record is complete, and moves the place behind it.
  ///
  /// - Returns: Whether there is a record in hand; if not, the piece is used up.
  package mutating func next(
    _ piece: Span<UInt8>, from place: inout Int
  ) throws(CSVFault) -> Bool {
    while place < piece.count {
      if isComplete { reset() }
      if length == 0 {
        if let end = plainLine(piece, from: place) {
          place = end
          line += 1
          isPlain = true
          isComplete = true
          return true
        }
        fields.removeAll(keepingCapacity: true)
      }
      while place < piece.count, !isComplete {
        place += 1
        if try consume(piece[place - 1]) { return true }
      }
    }
    return false
  }

  /// The input has ended; true when that completes a record, whose line has no end.
  package mutating func finish() throws(CSVFault) -> Bool {
    if isComplete { reset() }
    if state == .carriageReturn, form == .lenient { throw .loneCarriageReturn }
    if state == .quoted { throw .openQuote }
    return length > 0 && endRecord()
  }

  /// The fields of the record in hand, found in the piece, as text; what is not UTF-8 is replaced.
  package func texts(in piece: Span<UInt8>) -> [String] {
    fields.map { field in
      String(decoding: field.map { isPlain ? piece[$0] : unquoted[$0] }, as: UTF8.self)
    }
  }

  /// Finds the fields of a line that is whole and within its limits, and has no quotes.
  ///
  /// - Returns: Where the next line begins; `nil` if it is another line, which is read byte by byte.
  private mutating func plainLine(_ piece: Span<UInt8>, from start: Int) -> Int? {
    let end = recordLimit < piece.count - start ? start + recordLimit : piece.count
    var fieldStart = start
    for index in start..<end {
      let byte = piece[index]
      // Most bytes are letters and digits.
      if byte > UInt8(ascii: ",") { continue }
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\n"):
        let isEnd = byte == UInt8(ascii: "\n")
        var fieldEnd = index
        if isEnd, index > start, piece[index - 1] == UInt8(ascii: "\r") { fieldEnd -= 1 }
        guard fieldEnd > start || !isEnd, fieldEnd - fieldStart <= fieldLimit else { return nil }
        fields.append(fieldStart..<fieldEnd)
        if isEnd { return index + 1 }
        fieldStart = index + 1
      case UInt8(ascii: "\""): return nil
      case UInt8(ascii: "\r"):
        guard index + 1 < end, piece[index + 1] == UInt8(ascii: "\n") else { return nil }
      default: break
      }
    }
    return nil
  }

  /// Takes one byte; true when it completes a record.
  private mutating func consume(_ byte: UInt8) throws(CSVFault) -> Bool {
    length += 1
    guard length <= recordLimit else { throw .recordTooLong(limit: recordLimit) }
    let newline = UInt8(ascii: "\n")
    if byte != newline, byte != UInt8(ascii: "\r") { isBlank = false }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _):
      if byte == newline { line += 1 }
      try append(byte)
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      try append(byte)
      state = .quoted
    case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
    case (.plain, UInt8(ascii: "\"")): throw .quoteInPlainField
    case (_, newline):
      line += 1
      return endRecord()
    case (.carriageReturn, _): throw .loneCarriageReturn
    case (_, UInt8(ascii: ",")): endField()
    case (.quoteInQuoted, UInt8(ascii: "\r")): state = .carriageReturn
    case (.quoteInQuoted, _): throw .textAfterQuote
    case (_, UInt8(ascii: "\r")): state = .carriageReturn
    default:
      try append(byte)
      state = .plain
    }
    return false
  }

  private mutating func append(_ byte: UInt8) throws(CSVFault) {
    guard unquoted.count - fieldStart < fieldLimit else { throw .fieldTooLong(limit: fieldLimit) }
    unquoted.append(byte)
  }

  private mutating func endField() {
    fields.append(fieldStart..<unquoted.count)
    fieldStart = unquoted.count
    state = .fieldStart
  }

  private mutating func endRecord() -> Bool {
    endField()
    isComplete = true
    return form == .strict || !isBlank
  }

  private mutating func reset() {
    unquoted.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    fieldStart = 0
    length = 0
    isBlank = true
    isPlain = false
    recordLine = line
    isComplete = false
  }
}
