/// Reads RFC 4180 records strictly, one at a time, within limits.
///
/// Lines end in LF or CR LF, the last one too: a file without a final line end was cut short.
struct CSVReader {
  struct Limits {
    var fileBytes = 256 << 20
    var cellBytes = 64 << 10
    var rows = 4_000_000
  }

  struct Record {
    /// The line on which the record begins, from 1.
    let line: Int
    let cells: [String]
  }

  private enum State {
    case cellStart
    case bare
    case quoted
    case quoteInQuoted
    case carriageReturn
  }

  private let bytes: [UInt8]
  private let limits: Limits
  private var offset = 0
  private var line = 1
  private var rows = 0

  init(_ bytes: [UInt8], limits: Limits = Limits()) throws(CSVError) {
    guard bytes.count <= limits.fileBytes else {
      throw CSVError(line: 1, cause: .fileTooLong(limit: limits.fileBytes))
    }
    self.bytes = bytes
    self.limits = limits
  }

  /// The next record, or `nil` after the last; O(length of the record).
  mutating func next() throws(CSVError) -> Record? {
    guard offset < bytes.count else { return nil }
    rows += 1
    guard rows <= limits.rows else { throw error(.tooManyRows(limit: limits.rows)) }
    let firstLine = line
    var cells: [String] = []
    var cell: [UInt8] = []
    var state = State.cellStart
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch (state, byte) {
      case (.quoted, UInt8(ascii: "\"")):
        state = .quoteInQuoted
      case (.quoted, _):
        if byte == UInt8(ascii: "\n") { line += 1 }
        try append(byte, to: &cell)
      case (.quoteInQuoted, UInt8(ascii: "\"")):
        try append(byte, to: &cell)
        state = .quoted
      case (.carriageReturn, let byte) where byte != UInt8(ascii: "\n"):
        throw error(.loneCarriageReturn)
      case (_, UInt8(ascii: "\n")):
        cells.append(try text(of: cell))
        line += 1
        return Record(line: firstLine, cells: cells)
      case (_, UInt8(ascii: "\r")):
        state = .carriageReturn
      case (_, UInt8(ascii: ",")):
        cells.append(try text(of: cell))
        cell.removeAll(keepingCapacity: true)
        state = .cellStart
      case (.cellStart, UInt8(ascii: "\"")):
        state = .quoted
      case (.quoteInQuoted, _):
        throw error(.textAfterQuote)
      case (_, UInt8(ascii: "\"")):
        throw error(.quoteInsideCell)
      default:
        try append(byte, to: &cell)
        state = .bare
      }
    }
    throw error(state == .quoted ? .unterminatedQuote : .missingFinalNewline)
  }

  /// The text that `CSVWriter.text` was given.
  static func unguarded(_ cell: String) -> String {
    cell.utf8.first == UInt8(ascii: "'") ? String(Substring(cell.utf8.dropFirst())) : cell
  }

  private func append(_ byte: UInt8, to cell: inout [UInt8]) throws(CSVError) {
    guard cell.count < limits.cellBytes else {
      throw error(.cellTooLong(limit: limits.cellBytes))
    }
    cell.append(byte)
  }

  private func text(of cell: [UInt8]) throws(CSVError) -> String {
    guard let text = String(validating: cell, as: UTF8.self) else { throw error(.notUTF8) }
    return text
  }

  private func error(_ cause: CSVError.Cause) -> CSVError {
    CSVError(line: line, cause: cause)
  }
}
