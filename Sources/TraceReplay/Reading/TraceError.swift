package import Text

/// The reason why a trace cannot be read: location, cause and remedy.
package enum TraceError: Error, Hashable {
  case noRequests(format: String)
  /// The trace has gets, but none of a chosen key.
  case emptySample(rate: String)
  /// A line of a text trace, counted from 1.
  case lineTooLong(line: Int, limit: Int)
  /// The input ends inside the record that begins at `offset`.
  case truncatedRecord(format: String, offset: Int, found: Int, recordBytes: Int)
  case tooManyRequests(limit: Int)
  case tooManyKeys(limit: Int)
  /// Reading more would exceed the memory limit.
  case tooMuchMemory(requests: Int, needed: Int, limit: Int)
  /// An invalid record of a text file, by its first line, counted from 1.
  case record(line: Int, RecordFault)
  /// An invalid record of a binary file, by its first byte, counted from 0.
  case binaryRecord(offset: Int, RecordFault)
}

package enum RecordFault: Error, Hashable {
  case csv(CSVFault)
  case fieldCount(expected: Int, found: Int)
  case noColumn(named: [String])
  case severalColumns([String])
  case unknownOperation(String)
  case outOfRange(column: String, limit: Int)
  case notATime(column: String)
  case notJSON(String)
  case unknownMember(String)
  case emptyKey
  case keyTooLong(limit: Int)
  case notANumber(column: String)
  case sizeOutOfRange(column: String)
  case negative(column: String)
}

extension TraceError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noRequests(let format):
      "the trace holds no request; is it '\(format)', and was it written to the end?"
    case .emptySample(let rate):
      "no key of the trace is in a sample of \(rate); take a larger one"
    case .lineTooLong(let line, let limit):
      """
      line \(line): the line is longer than the limit of \(limit) bytes; if the file is not text, name \
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
    case .tooMuchMemory(let requests, let needed, let limit):
      """
      \(requests) requests and their keys need \(Self.megabytes(needed)) MB of memory, and the limit \
      is \(Self.megabytes(limit)) MB; allow more with --memory-limit, or take a sample: tidemark trace curve \
      --sample 0.01
      """
    case .record(let line, let fault):
      // The error may include a name from the file.
      "line \(line): \(fault)".legible
    case .binaryRecord(let offset, let fault):
      "byte \(offset): \(fault); or is the file of another format, or byte order?"
    }
  }
}

extension TraceError {
  /// Returns megabytes with one decimal, rounded down.
  private static func megabytes(_ bytes: Int) -> String {
    "\(bytes / 1_000_000).\(bytes / 100_000 % 10)"
  }
}

extension RecordFault {
  /// Returns the error of a field that should be a number from 0, depending on whether it is negative.
  static func notFromZero(
    _ text: Span<UInt8>, column: String, _ otherwise: RecordFault
  ) -> RecordFault {
    DecimalDigits.isNegative(text) ? .negative(column: column) : otherwise
  }
}

extension RecordFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .csv(.recordTooLong(let limit)), .csv(.fieldTooLong(let limit)):
      "the record is longer than the limit of \(limit) bytes; is a quote left open?"
    case .csv(.quoteInPlainField):
      "a quote inside a field that does not begin with one; quote the field, double the quote"
    case .csv(.textAfterQuote):
      "text follows a closing quote; double the quotes that belong to the field"
    case .csv(.openQuote):
      "a quote is never closed; close it, or double it if it belongs to the field"
    case .csv(.loneCarriageReturn):
      "a carriage return is not followed by a line feed; end lines with LF or CRLF"
    case .fieldCount(let expected, let found):
      "\(found) fields instead of \(expected); quote those that contain commas, or name another format"
    case .noColumn(let names):
      """
      the header names no column \(Self.list(names)); rename one, name it with --columns, or name \
      another format
      """
    case .severalColumns(let names):
      """
      the header has more than one column that could be meant, \(Self.list(names)); keep one, or \
      name it with --columns
      """
    case .unknownOperation(let name):
      """
      '\(name)' is no operation; an operation is one of \(OperationName.known); drop the column if \
      every row is a get
      """
    case .outOfRange(let column, let limit):
      "the field '\(column)' is not within 1 to \(limit); split the record, or drop it"
    case .notATime(let column):
      """
      the field '\(column)' is not a number from 0 with at most nanoseconds and 292 years; write \
      digits, and a point before decimals, or drop the column
      """
    case .unknownMember(let name):
      "no member is called '\(name)'; known: key, operation, size, ttl, time"
    case .notJSON(let what):
      "\(what); write one JSON object a line"
    case .sizeOutOfRange(let column):
      """
      the field '\(column)' is not a whole number of bytes from 0 to \(Int32.max); correct it, or drop \
      the column
      """
    case .negative(let column):
      "the field '\(column.excerpt)' is negative; correct it, or drop the row"
    case .emptyKey:
      "the key is empty; fill it or drop the row"
    case .keyTooLong(let limit):
      "the key is longer than the limit of \(limit) bytes; shorten it, by a digest for instance"
    case .notANumber(let column):
      """
      the field '\(column)' is not a whole number from 0 to 9223372036854775807; correct it, or drop the \
      row
      """
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0.excerpt)'" }.joined(separator: ", ")
  }
}
