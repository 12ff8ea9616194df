import CacheModel

/// What is wrong in a CSV file of ours, and where.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case fileTooLong(limit: Int)
    case tooManyRows(limit: Int)
    case cellTooLong(limit: Int)
    case notUTF8
    case quoteInsideCell
    case textAfterQuote
    case unterminatedQuote
    case loneCarriageReturn
    case missingFinalNewline
    case header(expected: String)
    case cellCount(found: Int, expected: Int)
    case cell(column: String, text: String, expected: String)
    case mixedSchemaVersions(first: Int, found: Int)
  }

  /// Counted from 1; a cell with line breaks spans several.
  package let line: Int
  package let cause: Cause

  package var description: String {
    "line \(line): \(explanation)"
  }

  private var explanation: String {
    switch cause {
    case .fileTooLong(let limit): "the file is longer than \(limit) bytes"
    case .tooManyRows(let limit): "more than \(limit) rows"
    case .cellTooLong(let limit): "a cell is longer than \(limit) bytes"
    case .notUTF8: "a cell is not UTF-8"
    case .quoteInsideCell: "a quote inside an unquoted cell; quote the cell and double the quote"
    case .textAfterQuote: "text after a closing quote; double a quote that belongs to the text"
    case .unterminatedQuote: "a quoted cell has no end"
    case .loneCarriageReturn: "a carriage return without a line feed; end lines with LF or CR LF"
    case .missingFinalNewline: "the last line has no end; the file may be cut short"
    case .header(let expected): "the header is not \(expected)"
    case .cellCount(let found, let expected): "\(found) cells where \(expected) are expected"
    case .cell(let column, let text, let expected):
      "\(column) is \"\(text.excerpt)\", not \(expected)"
    case .mixedSchemaVersions(let first, let found):
      "schema version \(found) in a file of version \(first)"
    }
  }
}
