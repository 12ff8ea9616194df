package import CacheModel
import Text

package struct ClientLine: RecordedMembers {
  package var name = ""
  package var partitions: [Range<Instant>] = []
  package var errors: [Range<Instant>] = []
  package var reaction: String?
  package var writesThrough: String?
  package var writesShown: String?
  package var silences: [Range<Instant>] = []
  package var appRestarts: [Instant] = []
  package var storageFaults: [StorageRefusal] = []

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.text("name", &name)
    try coder.windows("partitions", &partitions)
    try coder.windows("errors", &errors)
    try coder.text("reaction", &reaction)
    try coder.text("writesThrough", &writesThrough)
    try coder.text("writesShown", &writesShown)
    try coder.windows("silences", &silences)
    try coder.times("appRestarts", &appRestarts)
    try coder.value(
      "storageFaults", &storageFaults, isLeftOut: storageFaults.isEmpty, Self.write,
      read: Self.read)
  }

  private static func write(_ refusals: [StorageRefusal], _ json: inout JSONWriter) {
    json.array { json in
      for refusal in refusals {
        json.array {
          $0.element(refusal.during.lowerBound.nanoseconds)
          $0.element(refusal.during.upperBound.nanoseconds)
          $0.element(refusal.fault.rawValue)
        }
      }
    }
  }

  private static func read(
    _ value: JSONValue, _ coder: MemberCoder
  ) throws(RecordingError) -> [StorageRefusal] {
    try (value.elements ?? [value]).map { part throws(RecordingError) in
      guard case .array(let parts) = part, parts.count == 3 else {
        throw coder.failure(
          "a part of `storageFaults` is not two times and a word", "write [from, to, \"full\"]")
      }
      return StorageRefusal(
        during: try coder.window(parts[0], parts[1], "storageFaults"),
        fault: try coder.word(parts[2], "storageFaults"))
    }
  }
}

package struct ActionLine: RecordedMembers {
  package enum Verb: String, Hashable, Sendable, CaseIterable {
    case read, redraw, observe, unobserve, pin, unpin, invalidate, open, write, take, clear, release
  }

  package var client: UInt32 = 0
  package var at = Instant.zero
  package var verb = Verb.read
  package var query: UInt32?
  package var object: UInt32?
  package var write: UInt32?
  package var from: UInt32?
  package var billionths: UInt32?
  /// Whether the app requested the server regardless of its cache.
  package var isForced = false
  package var outcome: RecordedOutcome?
  /// The view of its displayed rows; `nil`: the query's own.
  package var shows: String?
  /// The displayed states in order.
  package var result: [UInt32]?

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.place("client", &client)
    try coder.time("at", &at)
    try coder.word("do", &verb)
    switch verb {
    case .open:
      try coder.place("object", &object)
      try coder.place("query", &query)
    case .write: try coder.place("write", &write)
    case .clear: break
    case .release: try coder.number("billionths", &billionths, in: 0...1_000_000_000)
    case .take:
      try coder.place("query", &query)
      try coder.place("from", &from)
    case .read, .redraw, .observe, .unobserve, .pin, .unpin, .invalidate:
      try coder.place("query", &query)
    }
    switch verb {
    case .read, .redraw, .observe, .open:
      try coder.flag("forced", &isForced)
      try coder.word("outcome", &outcome)
      try coder.text("shows", &shows)
      try coder.places("result", &result)
    case .unobserve, .take: try coder.places("result", &result)
    case .pin, .unpin, .invalidate, .write, .clear, .release: break
    }
  }
}

/// The result of a read from an app's cache.
package enum RecordedOutcome: String, Hashable, Sendable, CaseIterable {
  /// Served without waiting; its correctness is unknown.
  case hit
  /// Anything except a hit; the reason is unknown.
  case miss
  case hitFresh = "hit_fresh"
  case hitStale = "hit_stale"
  case partial
  case missCold = "miss_cold"
  case missExpired = "miss_expired"
  case missEvicted = "miss_evicted"
  case missInvalidated = "miss_invalidated"
  case coalesced
  case bypass
  case failed
}

/// A delivery of the link: the event of a mutation, or the server's position.
package struct DeliveryLine: RecordedMembers {
  package var client: UInt32 = 0
  package var at = Instant.zero
  package var sent: Instant?
  package var isOvertaken = false
  package var mutation: UInt32?
  package var position: StreamPosition?

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.place("client", &client)
    try coder.time("at", &at)
    try coder.time("sent", &sent)
    guard sent ?? at <= at else { throw coder.failure("`sent` is later than `at`", "check both") }
    try coder.flag("overtaken", &isOvertaken)
    try coder.place("mutation", &mutation)
    if mutation == nil { try coder.position(&position) }
    guard mutation != nil || position != nil else {
      throw coder.failure(
        "nothing is delivered", "write `mutation`, or the `epoch` and `sequence` of a heartbeat")
    }
  }
}

/// The end of a request by the app's own cache.
package struct AnswerLine: RecordedMembers {
  package var client: UInt32 = 0
  package var answer = RecordedAnswer(asked: .zero, at: .zero, target: .query(0), bytes: 0)
  /// The view of its rows; `nil`: the query's own.
  package var shows: String?

  package init() {}
  package init(client: UInt32, _ answer: RecordedAnswer) {
    self.client = client
    self.answer = answer
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.place("client", &client)
    try coder.time("asked", &answer.asked)
    try coder.time("at", &answer.at)
    guard answer.asked <= answer.at else {
      throw coder.failure("`at` is earlier than `asked`", "check both")
    }
    try answer.target.code(&coder)
    try coder.word("failure", &answer.failure)
    guard answer.failure == nil else { return }
    try coder.number("bytes", &answer.bytes, in: 0...Int.max / 4)
    try coder.text("shows", &shows)
    try coder.places("result", &answer.result)
    try coder.flag("more", &answer.hasMore)
    try coder.flag("unchanged", &answer.isUnchanged)
    try coder.position(&answer.place)
  }
}

/// The time and content of the answer to a request, or its failure.
package struct RecordedAnswer: Hashable, Sendable {
  package var asked: Instant
  package var at: Instant
  package var target: Target
  /// The size as sent; 0 without an answer.
  package var bytes: Int
  package var failure: Failure?
  /// The listed states; `nil` if they are not recorded.
  package var result: [UInt32]?
  /// Whether the server had more rows.
  package var hasMore = false
  /// Whether the server answered "not modified", without rows.
  package var isUnchanged = false
  /// Its position in the stream; `nil` if it is not recorded.
  package var place: StreamPosition?

  package enum Target: Hashable, Sendable {
    /// A query by number.
    case query(UInt32)
    /// An object by number.
    case object(UInt32)

    fileprivate mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
      var (query, object): (UInt32?, UInt32?) = (nil, nil)
      switch self {
      case .query(let number): query = number
      case .object(let number): object = number
      }
      if coder.isReading { (query, object) = (nil, nil) }
      try coder.place("query", &query)
      try coder.place("object", &object)
      switch (query, object) {
      case (let query?, nil): self = .query(query)
      case (nil, let object?): self = .object(object)
      default: throw coder.failure("an answer is to one thing", "write `query`, or `object`")
      }
    }
  }

  package enum Failure: String, Hashable, Sendable, CaseIterable {
    case unreachable
    /// The server answered with an error.
    case refused
    /// The recording ended before the answer.
    case unanswered
  }

  package init(
    asked: Instant, at: Instant, target: Target, bytes: Int, failure: Failure? = nil
  ) {
    self.asked = asked
    self.at = at
    self.target = target
    self.bytes = bytes
    self.failure = failure
  }
}

/// The relation of a state and a list that an app's cache computed, displayed or not.
package struct ListedPlace: RecordedMembers {
  package enum Match: String, Hashable, Sendable, CaseIterable {
    case listed
    case notListed = "not-listed"
    /// The app could not determine it, and its cache fetches the list.
    case unknown
  }

  package var at = Instant.zero
  package var query: UInt32 = 0
  package var state: UInt32 = 0
  package var match = Match.listed
  /// The adjacent objects; `nil`: at that end, as far as the cache knew.
  package var after: UInt32?
  package var before: UInt32?

  package init() {}
  package init(
    at: Instant, query: UInt32, state: UInt32, match: Match, after: UInt32? = nil,
    before: UInt32? = nil
  ) {
    self.at = at
    self.query = query
    self.state = state
    self.match = match
    self.after = after
    self.before = before
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.time("at", &at)
    try coder.place("query", &query)
    try coder.place("state", &state)
    try coder.word("is", &match, leftOutAt: .listed)
    try coder.place("after", &after)
    try coder.place("before", &before)
  }
}

/// Missing lines in an app's recording.
package struct RecordingGap: RecordedMembers {
  /// The time at which the recording continued.
  package var at = Instant.zero
  package var lines = 1
  package var cause = Cause.buffer

  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The recorder's buffer overflowed while it waited for the disk.
    case buffer
    case file
    /// The format does not support what happened.
    case format
  }

  package init() {}
  package init(at: Instant, lines: Int, cause: Cause) {
    self.at = at
    self.lines = lines
    self.cause = cause
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.time("at", &at)
    try coder.number("lines", &lines, in: 1...Int.max / 4)
    try coder.word("why", &cause)
  }
}
