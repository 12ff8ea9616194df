package import CacheModel

/// The first line of a recording: what the others are about.
package struct RecordingHeader: RecordedMembers {
  package var truth = "observed"
  package var name = ""
  package var seed: UInt64 = 0
  /// In nanoseconds; nothing happens later.
  package var duration: Int64 = 1
  package var warmUp: Int64 = 0
  package var isWithoutEvents = false
  package var saysNotModified = false
  package var library = ""
  package var network = Network()
  package var retention = Retention()
  /// Whose requests the `answer` lines belong to.
  package var policy: String?
  /// Whether `place` lines tell all that the app's cache found of its lists.
  package var tellsPlaces = false
  package var model = RecordedModel()
  /// When the server began a new epoch.
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
    try coder.number("version", &version, in: 1...Int.max)
    guard version != Self.version else { return }
    throw coder.failure(
      "the format has version \(version), and this program reads version \(Self.version)",
      version < Self.version
        ? "record it again; commit \(lastOfDrafts) of Tidemark was the last that read drafts"
        : "use the program that wrote it")
  }

  /// How long requests take, in nanoseconds.
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

  /// How far back the server can replay.
  package struct Retention: RecordedMembers {
    package var events = 0
    package var age: Int64 = 0

    package init() {}

    package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      try coder.number("events", &events, in: 0...Int.max / 2)
      try coder.number("age", &age, in: 0...MemberCoder.latest)
    }
  }

  /// What the link does to the events of a client's own writes.
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
