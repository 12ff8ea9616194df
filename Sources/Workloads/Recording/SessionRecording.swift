import CacheModel
package import RecordingCodec
import Text

/// A workload as a recording: one that can be kept, exchanged and simulated again.
///
/// `Documentation/RecordingFormat.md` describes the format; ``RecordingCodec`` knows its bytes.
package enum SessionRecording {
  /// Reads a recording.
  ///
  /// Every number is checked against what came before it, so that the simulation need not. O(bytes) in time
  /// and memory.
  ///
  /// - Parameter bytes: The whole file.
  /// - Returns: The workload, equal to the one that was written.
  /// - Throws: The first error, with its line.
  package static func read(_ bytes: [UInt8]) throws(RecordingError) -> Workload {
    var reader: RecordingReader?
    let last = try RecordingCodec.read(bytes) { header, number throws(RecordingError) in
      reader = try RecordingReader(header, line: number)
    } next: { line, number throws(RecordingError) in
      try reader?.read(line, number)
    }
    guard var reader else { preconditionFailure("a recording that was read has a header") }
    try reader.finish(atLine: last)
    return reader.workload
  }

  /// The workload as bytes of JSON Lines, equal for equal workloads.
  package static func write(_ workload: Workload) -> [UInt8] {
    var writer = RecordingWriter(workload)
    writer.write()
    return writer.json.bytes
  }
}
