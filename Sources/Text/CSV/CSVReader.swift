/// Reads RFC 4180 records from a file strictly, one at a time, within limits.
///
/// Lines end with LF or CR LF, including the last one: a file without a final line terminator is truncated.
package struct CSVReader {
  package struct Limits: Sendable {
    var fileBytes = 256 << 20
    var cellBytes = 64 << 10
    var rows = 4_000_000

    /// Limits far above our own files.
    package static let standard = Limits()
  }

  package struct Record {
    /// The first line of the record, from 1.
    package let line: Int
    /// The cells without their quotes.
    package let cells: [String]
  }

  private let bytes: [UInt8]
  private let limits: Limits
  private var parser: CSVRecordParser
  private var offset = 0
  private var rows = 0

  /// Creates a reader of a whole file.
  package init(_ bytes: [UInt8], limits: Limits = .standard) throws(CSVError) {
    guard bytes.count <= limits.fileBytes else {
      throw CSVError(line: 1, cause: .fileTooLong(limit: limits.fileBytes))
    }
    self.bytes = bytes
    self.limits = limits
    parser = CSVRecordParser(.strict, fieldLimit: limits.cellBytes)
  }

  /// Returns the next record, or `nil` after the last; O(length of the record).
  package mutating func next() throws(CSVError) -> Record? {
    guard offset < bytes.count else { return nil }
    rows += 1
    guard rows <= limits.rows else { throw error(.tooManyRows(limit: limits.rows)) }
    let bytes = bytes
    let isWhole: Bool
    do throws(CSVFault) {
      isWhole = try parser.next(bytes.span, from: &offset)
      if !isWhole { _ = try parser.finish() }
    } catch {
      throw self.error(.syntax(error))
    }
    guard isWhole else { throw error(.missingFinalNewline) }
    var cells: [String] = []
    for field in parser.fields {
      let cell = (parser.isPlain ? bytes : parser.unquoted)[field]
      guard let text = String(validating: cell, as: UTF8.self) else {
        let breaks = (cells.map { Array($0.utf8) } + [Array(cell)]).joined().count { $0 == 0x0A }
        throw CSVError(line: parser.recordLine + breaks, cause: .notUTF8)
      }
      cells.append(text)
    }
    return Record(line: parser.recordLine, cells: cells)
  }

  /// Returns the text that `CSVWriter.text` was given.
  package static func unguarded(_ cell: String) -> String {
    cell.utf8.first == UInt8(ascii: "'") ? String(Substring(cell.utf8.dropFirst())) : cell
  }

  private func error(_ cause: CSVError.Cause) -> CSVError {
    CSVError(line: parser.line, cause: cause)
  }
}

/// A violation of RFC 4180 or of a limit.
package enum CSVFault: Error, Hashable, Sendable {
  case quoteInPlainField, textAfterQuote, openQuote, loneCarriageReturn
  case recordTooLong(limit: Int)
  case fieldTooLong(limit: Int)
}

/// Splits chunks of bytes into RFC 4180 records, with one record in memory.
///
/// Lines end with LF or CRLF. A record that is completely in a chunk and without quotes, as most are, is not
/// copied: its fields are ranges of the chunk.
package struct CSVRecordParser: Sendable {
  package enum Form: Sendable {
    /// Blank lines are skipped.
    case lenient
    /// A blank line is a record of one empty field.
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
  /// The ranges of the present record's fields, in the chunk if it ``isPlain``, otherwise in ``unquoted``.
  package private(set) var fields: [Range<Int>] = []
  /// Whether the present record is completely in the chunk, without quotes.
  package private(set) var isPlain = false
  /// The bytes of a record that is not plain, without its quotes.
  package private(set) var unquoted: [UInt8] = []
  /// The line of the next byte, from 1.
  package private(set) var line = 1
  /// The first line of the present record, from 1.
  package private(set) var recordLine = 1

  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted, carriageReturn
  }

  /// Creates a parser; limits are in bytes, of a record including quotes and terminator, and of a field
  /// without quotes.
  package init(_ form: Form, recordLimit: Int = .max, fieldLimit: Int = .max) {
    self.form = form
    self.recordLimit = recordLimit
    self.fieldLimit = fieldLimit
  }

  /// Parses from an index of the chunk to the end of a record, and advances the index.
  ///
  /// - Returns: whether a record is complete; if not, the chunk is consumed.
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

  /// Ends the input; returns whether a last record without a terminator is complete.
  package mutating func finish() throws(CSVFault) -> Bool {
    if isComplete { reset() }
    if state == .carriageReturn, form == .lenient { throw .loneCarriageReturn }
    if state == .quoted { throw .openQuote }
    return length > 0 && endRecord()
  }

  /// Returns the fields of the present record in the chunk as text; invalid UTF-8 is replaced.
  package func texts(in piece: Span<UInt8>) -> [String] {
    fields.map { field in
      String(decoding: field.map { isPlain ? piece[$0] : unquoted[$0] }, as: UTF8.self)
    }
  }

  /// Finds the fields of a line that is complete, within its limits, and without quotes.
  ///
  /// - Returns: the index of the next line; `nil` for any other line, which is parsed byte by byte.
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

  /// Processes one byte; returns whether it completes a record.
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

package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case fileTooLong(limit: Int)
    case tooManyRows(limit: Int)
    case notUTF8
    case syntax(CSVFault)
    case missingFinalNewline
    case header(expected: String)
    case cellCount(found: Int, expected: Int)
    case cell(column: String, text: String, expected: String)
    /// A violation of a file type's own rules, in words.
    case content(String)
  }

  /// The line number, from 1; a cell with line breaks spans several.
  package let line: Int
  package let cause: Cause

  package init(line: Int, cause: Cause) {
    self.line = line
    self.cause = cause
  }

  /// The error in one line, with the line's number.
  package var description: String {
    "line \(line): \(explanation)"
  }

  private var explanation: String {
    switch cause {
    case .fileTooLong(let limit): "the file is longer than \(limit) bytes"
    case .tooManyRows(let limit): "more than \(limit) rows"
    case .syntax(.fieldTooLong(let limit)), .syntax(.recordTooLong(let limit)):
      "a cell is longer than \(limit) bytes"
    case .notUTF8: "a cell is not UTF-8"
    case .syntax(.quoteInPlainField):
      "a quote inside an unquoted cell; quote the cell and double the quote"
    case .syntax(.textAfterQuote):
      "text after a closing quote; double a quote that belongs to the text"
    case .syntax(.openQuote): "a quoted cell has no end"
    case .syntax(.loneCarriageReturn):
      "a carriage return without a line feed; end lines with LF or CR LF"
    case .missingFinalNewline: "the last line has no end; the file may be cut short"
    case .header(let expected): "the header is not \(expected)"
    case .cellCount(let found, let expected): "\(found) cells where \(expected) are expected"
    case .cell(let column, let text, let expected):
      "\(column) is \"\(text.excerpt)\", not \(expected)"
    case .content(let words): words
    }
  }
}
