import CommandLineInterface
import Foundation
import Synchronization
import Text

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The runs of a study in an append-only file, so that finished runs are kept.
///
/// A line is complete or was never written: each is synchronized to disk before the next begins, and after a
/// crash an incomplete last line is removed and its run repeated.
final class StudyJournal: Sendable {
  /// A line without its figures.
  struct Entry: Sendable {
    var key: String
    /// For people: the scenario, the setting and the seed.
    var subject: String
    var record: RunRecord
  }

  private struct State {
    var records: [String: RunRecord] = [:]
    /// The sets of columns that the file has defined so far.
    var columns: [[RunRecord.Column]] = []
  }

  let path: String
  private let handle: FileHandle
  private let state: Mutex<State>
  /// Whether the last line was incomplete.
  let wasTorn: Bool

  private static let format = "tidemark runs 1"
  private static let byteLimit = 1 << 31

  /// Opens a journal, or creates one if there is no file.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read or written, belongs to something else, or is in use.
  init(_ path: String) throws {
    self.path = path
    let title = FileKind.title(of: path)
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      let failure = FileWriter.Failure()
      throw CommandFailure(.output, "\(title): not opened: \(failure); \(failure.remedy)")
    }
    handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw CommandFailure(
        .output, "\(title): another tidemark is writing it; wait for that, or name another file")
    }
    let bytes = try InputFile.read(path, limit: Self.byteLimit)
    // The file may contain a byte order mark, which is not included in these bytes.
    let start = try handle.seekToEnd() - UInt64(bytes.count)
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    wasTorn = end < bytes.count
    var state = State()
    for (number, line) in bytes[..<end].split(separator: UInt8(ascii: "\n")).enumerated() {
      do {
        if let entry = try Self.read(line, columns: &state.columns) {
          state.records[entry.key] = entry.record
        }
      } catch {
        throw CommandFailure(
          .input, "\(title):\(number + 1): \(error); remove the line, or name another file")
      }
    }
    guard !wasTorn || !state.columns.isEmpty || Self.isTorn(bytes[end...]) else {
      throw CommandFailure(.input, "\(title): this is not a journal; name another file")
    }
    self.state = Mutex(state)
    try handle.truncate(atOffset: start + UInt64(end))
    try handle.seekToEnd()
  }

  subscript(key: String) -> RunRecord? { state.withLock { $0.records[key] } }

  /// Adds a run, and returns when it is on disk.
  func append(_ entry: Entry) throws {
    try state.withLock { state in
      let bytes = try Self.lines(of: entry, columns: &state.columns)
      do {
        try handle.write(contentsOf: bytes)
        try handle.synchronize()
      } catch {
        throw CommandFailure(
          .output, "\(FileKind.title(of: path)): not written: \(SystemReason.text(of: error))")
      }
      state.records[entry.key] = entry.record
    }
  }

  /// Returns whether this may be the begin of a journal's first line.
  private static func isTorn(_ line: ArraySlice<UInt8>) -> Bool {
    var writer = JSONWriter()
    writer.line { $0.member("format", format) }
    // Without the end of the object and of the line.
    let start = writer.bytes.dropLast(2)
    return line.starts(with: start) || start.starts(with: line)
  }

  // MARK: Lines

  /// Returns a line for the run, after one for its columns if they are new.
  static func lines(
    of entry: Entry, columns: inout [[RunRecord.Column]]
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var number = columns.firstIndex(of: entry.record.columns)
    if number == nil {
      var writer = JSONWriter()
      writer.line {
        $0.member("format", Self.format)
        $0.member("columns", columns.count)
        $0.member("names", RunRecord.text(of: entry.record.columns))
      }
      bytes += writer.bytes
      number = columns.count
      columns.append(entry.record.columns)
    }
    let text = try entry.record.text()
    var writer = JSONWriter()
    writer.line {
      $0.member("key", entry.key)
      $0.member("run", entry.subject)
      $0.member("columns", number ?? 0)
      $0.member("values", text)
    }
    return bytes + writer.bytes
  }

  struct LineError: Error, CustomStringConvertible {
    var description: String
  }

  /// Returns the run of a line; `nil` if it defines columns.
  static func read(
    _ line: ArraySlice<UInt8>, columns: inout [[RunRecord.Column]]
  ) throws -> Entry? {
    let value: JSONValue
    do {
      value = try JSONParser.parse(line)
    } catch {
      throw LineError(description: "this is no JSON (\(error.cause))")
    }
    if let format = value["format"]?.text {
      guard format == Self.format, value["columns"]?.count == columns.count,
        let names = value["names"]?.text, let own = RunRecord.columns(names)
      else { throw LineError(description: "the journal is of another version") }
      columns.append(own)
      return nil
    }
    guard let key = value["key"]?.text, let subject = value["run"]?.text,
      let place = value["columns"]?.count, columns.indices.contains(place),
      let values = value["values"]?.text,
      let record = RunRecord(columns: columns[place], text: values)
    else { throw LineError(description: "this is not a line of a journal") }
    return Entry(key: key, subject: subject, record: record)
  }
}
