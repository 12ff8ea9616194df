/// Reads a file of RFC 4180 records strictly, one at a time, within limits.
///
/// Lines end in LF or CR LF, the last one too: a file without a final line end was cut short.
package struct CSVReader {
  /// What is read before the reader gives up.
  package struct Limits: Sendable {
    var fileBytes = 256 << 20
    var cellBytes = 64 << 10
    var rows = 4_000_000

    /// Far above what a run of ours writes.
    package static let standard = Limits()
  }

  /// A record as text.
  package struct Record {
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The cells without their quotes.
    package let cells: [String]
  }

  private let bytes: [UInt8]
  private let limits: Limits
  private var parser: CSVRecordParser
  private var offset = 0
  private var rows = 0

  /// Makes a reader of a whole file.
  ///
  /// - Throws: If the file is longer than the limit.
  package init(_ bytes: [UInt8], limits: Limits = .standard) throws(CSVError) {
    guard bytes.count <= limits.fileBytes else {
      throw CSVError(line: 1, cause: .fileTooLong(limit: limits.fileBytes))
    }
    self.bytes = bytes
    self.limits = limits
    parser = CSVRecordParser(.strict, fieldLimit: limits.cellBytes)
  }

  /// The next record, or `nil` after the last; O(length of the record).
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

  /// The text that `CSVWriter.text` was given.
  package static func unguarded(_ cell: String) -> String {
    cell.utf8.first == UInt8(ascii: "'") ? String(Substring(cell.utf8.dropFirst())) : cell
  }

  private func error(_ cause: CSVError.Cause) -> CSVError {
    CSVError(line: parser.line, cause: cause)
  }
}
