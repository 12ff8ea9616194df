public import CacheModel

/// The commit under way, or the last one.
@usableFromInline struct CommitState: Sendable {
  @usableFromInline var number: UInt64 = 0
  /// The latest instant that the store was told.
  @usableFromInline var now = Instant.zero
  /// The earliest of all deadlines, as the last commit left it.
  @usableFromInline var deadline: Instant?
  /// Whether what is being written was pushed by the server, and not asked for.
  @usableFromInline var isApplyingEvents = false
  /// The query that an answer, or an event, is filling; −1: none.
  ///
  /// It is not dropped to make space for itself.
  @usableFromInline var filledQuery: Int32 = -1

  @inlinable init() {}

  /// Begins the next one; time never goes back.
  @inlinable mutating func begin(at instant: Instant) {
    passTime(to: instant)
    number += 1
  }

  @inlinable mutating func passTime(to instant: Instant) { now = max(now, instant) }
}
