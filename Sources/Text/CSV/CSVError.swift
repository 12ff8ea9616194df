/// What is wrong in a CSV file, and where.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package enum Cause: Hashable, Sendable {
    case fileTooLong(limit: Int)
    case tooManyRows(limit: Int)
    case notUTF8
    case syntax(CSVFault)
    case missingFinalNewline
    case header(expected: String)
    case cellCount(found: Int, expected: Int)
    case cell(column: String, text: String, expected: String)
    /// What a kind of file forbids besides, in words.
    case content(String)
  }

  /// Counted from 1; a cell with line breaks spans several.
  package let line: Int
  /// What is wrong there.
  package let cause: Cause

  /// Says what is wrong in a line.
  package init(line: Int, cause: Cause) {
    self.line = line
    self.cause = cause
  }

  /// One line, with the line's number.
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
