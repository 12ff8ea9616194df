package import CacheModel
package import FoundationEssentials

/// The subject of a measurement: a cache, an alternative to it, or a control.
///
/// It prepares operations, performs them, and is closed; only performing is timed. It gets one call at a
/// time.
package protocol Subject<Outcome> {
  /// The result of performing: timestamps, or a count.
  associatedtype Outcome

  /// Prepares this many more operations, so that performing them does nothing else.
  mutating func prepare(_ count: Int) async throws

  /// Prepares this many reads, which are performed instead of its operation.
  mutating func prepare(reads count: Int) async throws

  /// Performs this many of the next operations.
  ///
  /// The subject has its own loop over them: a call from outside costs as much as some operations.
  ///
  /// - Precondition: at least as many operations are prepared.
  mutating func perform(_ count: Int) async throws -> Outcome

  /// Reads the rows of every list that changed since the last call, as a screen does; called while operations
  /// are performed.
  func draw() async

  /// Releases files, observers and other resources.
  mutating func close() async throws
}

extension Subject {
  package mutating func prepare(_ count: Int) {}
  package mutating func prepare(reads count: Int) {
    preconditionFailure("a subject that has no reads is asked for \(count)")
  }
  package func draw() async {}
  package mutating func close() {}
}

/// The timestamps of an operation, or of several consecutive ones.
package struct Handover: Sendable {
  /// The time when all typed values existed.
  var began: Instant
  /// The time of the commit, before any observer was notified.
  var committed: Instant
  /// The time of the last observer's call; `nil` if no observer was affected.
  var notified: Instant?

  /// The time from the beginning to the last observer's call, or to the commit without one.
  var nanoseconds: Int64 { (notified ?? committed).nanoseconds - began.nanoseconds }
}

/// The messages of a run, encoded in advance, so that sending costs nothing.
///
/// Message `i` changes a file that no recent message changed, and has revision `i + 1`.
package struct EventScript: Sendable {
  package let messages: [Data]

  /// - Throws: the encoder's error.
  package init(library: FileLibrary, count: Int) throws {
    let encoder = WireEncoder()
    messages = try (0..<count).map { index in
      let files = FileLibrary.files(ofChange: index, count: 1, among: library.fileCount)
      return try encoder.bytes(of: library.message(index: index, files: files))
    }
  }
}

/// The timestamps of one event, in nanoseconds of the run's clock.
///
/// - `intended`: the send time according to the arrival process.
/// - `received`: the arrival of its bytes in the client's inbox; waiting for earlier events begins here.
/// - `started`: the time when the client took it from the inbox.
/// - `decoded`: the time when the typed values existed.
/// - `committed`: the commit in the cache, before any observer was notified.
/// - `notified`: the time after the last observer's notification.
package struct EventStamps: Hashable, Sendable {
  package var intended: Instant
  package var received: Instant
  package var started: Instant
  package var decoded: Instant
  package var committed: Instant
  package var notified: Instant

  /// Whether the stamps are in order.
  package var areMonotone: Bool {
    intended <= received && received <= started && started <= decoded && decoded <= committed
      && committed <= notified
  }

  /// Returns the duration of one stage, in nanoseconds.
  package func nanoseconds(of stage: LatencyStage) -> Int64 {
    let (from, to) =
      switch stage {
      case .decode: (started, decoded)
      case .updateToNotify: (received, notified)
      case .serviceTime: (started, notified)
      case .responseTime: (intended, notified)
      }
    return to.nanoseconds - from.nanoseconds
  }
}

/// A stage of an event.
package enum LatencyStage: Hashable, Sendable, CaseIterable {
  case decode, updateToNotify, serviceTime, responseTime
}
