package import Text

/// The bytes of recordings: JSON Lines, whose first is the header.
package enum RecordingCodec {
  /// The longest line that is read, in bytes.
  package static let maximumLineBytes = 8 << 20

  package static func write(_ header: RecordingHeader, to json: inout JSONWriter) {
    MemberCoder.write(header, to: &json)
    json.endLine()
  }

  /// Reads a recording line by line.
  ///
  /// O(bytes) in time; no more than a line is held.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - begin: Is given the header.
  ///   - next: Is given each other line with its number, from 1.
  /// - Returns: The number of the last line.
  /// - Throws: The first error, of the file or of the callers, with its line.
  @discardableResult
  package static func read(
    _ bytes: [UInt8], begin: (RecordingHeader, Int) throws(RecordingError) -> Void,
    next: (RecordingLine, Int) throws(RecordingError) -> Void
  ) throws(RecordingError) -> Int {
    var (number, start, hasHeader) = (0, 0, false)
    while start < bytes.count {
      number += 1
      let rest = bytes[start...]
      let end = rest.prefix(maximumLineBytes + 1).firstIndex(of: UInt8(ascii: "\n"))
      guard let end = end ?? (rest.count <= maximumLineBytes ? bytes.count : nil) else {
        throw RecordingError(
          line: number, cause: "the line is longer than \(maximumLineBytes) bytes",
          remedy: "split what it holds, for example into several mutations")
      }
      let text = bytes[start..<end]
      start = end + 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      let json = try parse(text, line: number)
      if hasHeader {
        try next(try RecordingLine(reading: json, line: number), number)
      } else {
        try begin(try MemberCoder.read(json, line: number, "a header"), number)
        hasHeader = true
      }
    }
    guard hasHeader else {
      throw RecordingError(
        line: 1, cause: "the recording is empty", remedy: "begin with a header line")
    }
    return number
  }

  private static func parse(
    _ text: ArraySlice<UInt8>, line: Int
  ) throws(RecordingError) -> JSONValue {
    do throws(JSONParser.Failure) {
      return try JSONParser.parse(text)
    } catch {
      throw RecordingError(
        line: line, cause: "\(error.cause) (at byte \(error.offset + 1))",
        remedy: "check that the line is whole")
    }
  }
}

/// Why a recording cannot be read.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  package var line: Int
  /// What is wrong.
  package var cause: String
  /// What to do about it.
  package var remedy: String

  package init(line: Int, cause: String, remedy: String) {
    self.line = line
    self.cause = cause
    self.remedy = remedy
  }

  /// One line; the cause may repeat names from the file.
  package var description: String { "line \(line): \(cause); \(remedy)".legible }
}
