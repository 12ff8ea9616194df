package import CacheModel
package import FoundationEssentials

/// Something that is measured: a cache, what would be used in its place, or what remains without one.
///
/// It prepares operations, performs them, and is let go; only performing is timed. It is asked one thing at
/// a time.
package protocol Subject<Outcome> {
  /// What performing gives: when it came how far, or what was counted.
  associatedtype Outcome

  /// Prepares this many more operations, so that performing them does nothing else.
  mutating func prepare(_ count: Int) async throws

  /// Prepares this many reads, which are then performed instead of its operation.
  mutating func prepare(reads count: Int) async throws

  /// Performs the next operations, this many.
  ///
  /// The loop over them is the subject's own: one call from outside costs as much as some operations take.
  ///
  /// - Precondition: as many are prepared, and not performed yet.
  mutating func perform(_ count: Int) async throws -> Outcome

  /// Reads the rows of every list that changed since it was last asked, as a screen shows them; while
  /// operations are performed.
  func draw() async

  /// Lets go of files, observers and whatever else it has.
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

/// How far an operation, or several one after the other, had come, and when.
package struct Handover: Sendable {
  /// When everything that it needs was there as typed values.
  var began: Instant
  /// When it was done, before any observer was notified.
  var committed: Instant
  /// When the last observer was called; `nil`: it concerned none.
  var notified: Instant?

  /// From the beginning to the last observer's call, or to the commit where none was called.
  var nanoseconds: Int64 { (notified ?? committed).nanoseconds - began.nanoseconds }
}

/// The messages of a run, encoded before it begins so that sending one costs nothing.
///
/// Message `i` changes a file that no message shortly before it changed, and carries revision `i + 1`.
package struct EventScript: Sendable {
  package let messages: [Data]

  /// - Throws: what the encoder throws.
  package init(library: FileLibrary, count: Int) throws {
    let encoder = WireEncoder()
    messages = try (0..<count).map { index in
      let files = FileLibrary.files(ofChange: index, count: 1, among: library.fileCount)
      return try encoder.bytes(of: library.message(index: index, files: files))
    }
  }
}

/// The life of one event, in nanoseconds of the run's clock.
///
/// - `intended`: when the arrival process wanted it sent.
/// - `received`: when its bytes lay in the client's inbox; waiting behind earlier events begins here.
/// - `started`: when the client took it from the inbox.
/// - `decoded`: when the typed values existed.
/// - `committed`: when the cache had them, before any observer was notified.
/// - `notified`: when the last observer concerned had been notified.
package struct EventStamps: Hashable, Sendable {
  package var intended: Instant
  package var received: Instant
  package var started: Instant
  package var decoded: Instant
  package var committed: Instant
  package var notified: Instant

  /// Whether no stamp precedes the one before it.
  package var areMonotone: Bool {
    intended <= received && received <= started && started <= decoded && decoded <= committed
      && committed <= notified
  }

  /// The time that one stage took, in nanoseconds.
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

/// A part of an event's life.
package enum LatencyStage: Hashable, Sendable, CaseIterable {
  case decode, updateToNotify, serviceTime, responseTime
}
