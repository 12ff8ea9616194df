import CacheModel

/// Something that is measured: a cache, what would be used in its place, or what remains without one.
///
/// It prepares operations, performs them, and is let go; only performing is timed. It is asked one thing at
/// a time.
package protocol Subject<Outcome> {
  /// What performing gives: when it came how far, or what was counted.
  associatedtype Outcome

  /// Makes what so many more operations need, so that performing them is nothing else.
  mutating func prepare(_ count: Int) async throws

  /// Makes what so many reads need, which are then performed instead of its operation.
  mutating func prepare(reads count: Int) async throws

  /// Performs the next so many.
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
  /// When it was done, before any observer was told.
  var committed: Instant
  /// When the last observer was called; `nil`: it concerned none.
  var notified: Instant?

  /// From the beginning to the last observer's call, or to the commit where none was called.
  var nanoseconds: Int64 { (notified ?? committed).nanoseconds - began.nanoseconds }
}
