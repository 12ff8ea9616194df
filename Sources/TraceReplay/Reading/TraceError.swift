/// Why a trace could not be read: the place, the cause and the remedy.
package enum TraceError: Error, Hashable {
  case noRequests(format: String)
  /// A line of a text trace, counted from 1.
  case lineTooLong(line: Int, limit: Int)
  /// The input ends inside the record that begins at `offset`.
  case truncatedRecord(format: String, offset: Int, found: Int, recordBytes: Int)
  case tooManyRequests(limit: Int)
  case tooManyKeys(limit: Int)
  /// A record of a CSV file, by the line it begins on, counted from 1.
  case csv(line: Int, CSVFault)
}

/// What is wrong with a CSV record.
package enum CSVFault: Hashable, Sendable {
  case recordTooLong(limit: Int)
  case quoteInPlainField
  case textAfterQuote
  case openQuote
  case loneCarriageReturn
  case fieldCount(expected: Int, found: Int)
  case noColumn(named: [String])
  case severalColumns([String])
  case operationColumn(String)
  case emptyKey
  case keyTooLong(limit: Int)
  case notANumber(column: String)
}

extension TraceError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noRequests(let format):
      "the trace holds no request; is it '\(format)', and was it written to the end?"
    case .lineTooLong(let line, let limit):
      """
      line \(line): a key is longer than the limit of \(limit) bytes; if the file is not text, name \
      its format
      """
    case .truncatedRecord(let format, let offset, let found, let recordBytes):
      """
      byte \(offset): the trace ends \(found) bytes into a record of \(recordBytes); it was cut \
      short, or is not '\(format)'
      """
    case .tooManyRequests(let limit):
      "the trace holds more than the limit of \(limit) requests; replay a part of it"
    case .tooManyKeys(let limit):
      "the trace names more than the limit of \(limit) distinct keys; replay a sample of its keys"
    case .csv(let line, let fault):
      "line \(line): \(fault)"
    }
  }
}

extension CSVFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .recordTooLong(let limit):
      "the record is longer than the limit of \(limit) bytes; is a quote left open?"
    case .quoteInPlainField:
      "a quote stands inside a field that does not begin with one; quote the field, double the quote"
    case .textAfterQuote:
      "text follows a closing quote; double the quotes that belong to the field"
    case .openQuote:
      "a quote is never closed; close it, or double it if it belongs to the field"
    case .loneCarriageReturn:
      "a carriage return is not followed by a line feed; end lines with LF or CRLF"
    case .fieldCount(let expected, let found):
      "\(found) fields where the header has \(expected); quote fields that contain commas"
    case .noColumn(let names):
      "the header names no column \(Self.list(names)); rename one"
    case .severalColumns(let names):
      "the header has more than one column of keys, \(Self.list(names)); keep one"
    case .operationColumn(let name):
      """
      the column '\(name)' says that rows are not all reads, and a replay counts every row as one; \
      keep the reads and drop the column
      """
    case .emptyKey:
      "the key is empty; fill it or drop the row"
    case .keyTooLong(let limit):
      "the key is longer than the limit of \(limit) bytes; shorten it, by a digest for instance"
    case .notANumber(let column):
      "the field '\(column)' is not a whole number from 0 to 9223372036854775807"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }
}
