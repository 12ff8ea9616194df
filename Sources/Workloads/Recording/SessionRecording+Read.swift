import Text

extension SessionRecording {
  /// Reads a recording.
  ///
  /// Every number is checked against what came before it, so that whoever replays the workload need
  /// not. O(bytes) in time and memory.
  ///
  /// - Parameter bytes: The whole file.
  /// - Returns: The workload, equal to the one that was written.
  /// - Throws: The first error, with its line.
  package static func read(_ bytes: [UInt8]) throws(RecordingError) -> Workload {
    try readWithLines(bytes).workload
  }

  /// The same, with the lines from which it came.
  package static func readWithLines(
    _ bytes: [UInt8]
  ) throws(RecordingError) -> (workload: Workload, lines: RecordingLines) {
    var number = 0
    var start = 0
    var reader: RecordingReader?
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
      let line = try RecordedLine(parse(text, line: number), line: number)
      if reader == nil {
        reader = try RecordingReader(header: line)
      } else {
        try reader?.read(line)
      }
    }
    guard var reader else {
      throw RecordingError(
        line: 1, cause: "the recording is empty", remedy: "begin with a header line")
    }
    try reader.finish(atLine: number)
    return (reader.workload, reader.lines)
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
