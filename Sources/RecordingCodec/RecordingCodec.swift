package import CacheModel
package import Text

/// The file format of recordings: JSON Lines, with a header in the first line.
package enum RecordingCodec {
  /// The maximum length of a line, in bytes.
  package static let maximumLineBytes = 8 << 20

  package static func write(_ header: RecordingHeader, to json: inout JSONWriter) {
    MemberCoder.write(header, to: &json)
    json.endLine()
  }

  /// Reads a recording line by line.
  ///
  /// O(bytes) in time; at most one line is in memory.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - begin: called with the header.
  ///   - next: called with each other line and its number, from 1.
  /// - Returns: the number of the last line.
  /// - Throws: the first error, of the file or of the callers, with its line.
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
          remedy: "split it, for example into several mutations")
      }
      let text = bytes[start..<end]
      start = end + 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      let json = try parse(text, line: number, isHeader: !hasHeader)
      if hasHeader {
        try next(try RecordingLine(reading: json, line: number), number)
      } else {
        try begin(try MemberCoder.read(json, line: number, "a header"), number)
        hasHeader = true
      }
    }
    guard hasHeader else {
      throw RecordingError(
        line: 1, cause: "the recording is empty",
        remedy: "record it again, or make it with `tidemark import har`")
    }
    return number
  }

  private static func parse(
    _ text: ArraySlice<UInt8>, line: Int, isHeader: Bool
  ) throws(RecordingError) -> JSONValue {
    do throws(JSONParser.Failure) {
      return try JSONParser.parse(text)
    } catch {
      throw RecordingError(
        line: line,
        cause: isHeader && error.offset == 0
          ? "this is not JSON" : "\(error.cause) (at byte \(error.offset + 1))",
        remedy: isHeader ? "check that this is a recording" : "check that the line is whole")
    }
  }
}

/// The reason why a recording cannot be read.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line number, from 1.
  package var line: Int
  package var cause: String
  package var remedy: String

  package init(line: Int, cause: String, remedy: String) {
    self.line = line
    self.cause = cause
    self.remedy = remedy
  }

  /// The error in one line; the cause may include names from the file.
  package var description: String { "line \(line): \(cause); \(remedy)".legible }
}

/// The first line of a recording, with the data that all lines share.
package struct RecordingHeader: RecordedMembers {
  package var truth = "observed"
  package var name = ""
  package var seed: UInt64 = 0
  /// The duration in nanoseconds; nothing happens later.
  package var duration: Int64 = 1
  package var warmUp: Int64 = 0
  package var isWithoutEvents = false
  package var saysNotModified = false
  package var library = ""
  package var network = Network()
  package var retention = Retention()
  /// The policy whose requests are in `answer` lines.
  package var policy: String?
  /// Whether `place` lines contain all list positions that the app's cache computed.
  package var tellsPlaces = false
  package var model = RecordedModel()
  /// The times at which the server began a new epoch.
  package var serverRestarts: [Instant] = []
  package var ownEvents: OwnEvents?

  package static let format = "tidemark-session"
  package static let version = 3
  /// The last commit of Tidemark that reads files of the versions 1 and 2, which were drafts.
  package static let lastOfDrafts = "62247ac0"

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try Self.codeVersion(&coder)
    try coder.text("truth", &truth)
    try coder.text("name", &name)
    try coder.number("seed", &seed, in: 0...UInt64.max, leftOutAt: 0)
    try coder.number("duration", &duration, in: 1...MemberCoder.latest)
    try coder.number("warmUp", &warmUp, in: 0...duration, leftOutAt: 0)
    try coder.flag("withoutEvents", &isWithoutEvents)
    try coder.flag("notModified", &saysNotModified)
    try coder.text("library", &library)
    try coder.object("network", &network)
    try coder.object("retention", &retention)
    try coder.text("policy", &policy)
    try coder.flag("places", &tellsPlaces)
    try coder.object("model", &model)
    try coder.times("serverRestarts", &serverRestarts)
    try coder.object("ownEvents", &ownEvents)
  }

  private static func codeVersion(_ coder: inout MemberCoder) throws(RecordingError) {
    var (format, version): (String?, Int) = (format, version)
    try coder.text("format", &format)
    guard format == Self.format else {
      throw coder.failure(
        "this is not a recorded session",
        "begin with {\"format\":\"\(Self.format)\",\"version\":\(Self.version),…}")
    }
    guard !coder.isReading || coder.has("version") else {
      throw coder.failure("`version` is missing", "add \"version\":\(Self.version)")
    }
    try coder.number("version", &version, in: 1...Int.max)
    guard version != Self.version else { return }
    throw coder.failure(
      "the format has version \(version), and this program reads version \(Self.version)",
      version < Self.version
        ? "record it again; commit \(lastOfDrafts) of Tidemark was the last that read drafts"
        : "use the program that wrote it")
  }

  /// The latencies of requests, in nanoseconds.
  package struct Network: RecordedMembers {
    package var minimumRoundTrip: Int64 = 0
    package var meanExtra: Int64 = 0
    package var bytesPerSecond: Int?
    package var seed: UInt64 = 0

    package init() {}

    package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      try coder.number("minimumRoundTrip", &minimumRoundTrip, in: 0...Int64.max / 8)
      try coder.number("meanExtra", &meanExtra, in: 0...Int64.max / 1_024)
      try coder.number("bytesPerSecond", &bytesPerSecond, in: 1...1_000_000_000_000)
      try coder.number("seed", &seed, in: 0...UInt64.max, leftOutAt: 0)
    }
  }

  /// The extent of the server's replay.
  package struct Retention: RecordedMembers {
    package var events = 0
    package var age: Int64 = 0

    package init() {}

    package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      try coder.number("events", &events, in: 0...Int.max / 2)
      try coder.number("age", &age, in: 0...MemberCoder.latest)
    }
  }

  /// The link's effect on the events of a client's own writes.
  package struct OwnEvents: RecordedMembers {
    package var delay: Int64 = 0
    package var jitter: Int64 = 0
    package var lossPerBillion = 0
    package var activeEnd: Int64 = 0

    package init() {}

    package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      try coder.number("delay", &delay, in: 0...Int64.max / 1_024)
      try coder.number("jitter", &jitter, in: 0...Int64.max / 1_024)
      try coder.number("lossPerBillion", &lossPerBillion, in: 0...1_000_000_000)
      try coder.number("activeEnd", &activeEnd, in: 0...MemberCoder.latest)
    }
  }
}
