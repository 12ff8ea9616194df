/// What the harness puts up with from a cache.
package struct CacheLimits: Hashable, Sendable {
  /// How long it may take to say hello, and to close a turn.
  package var startSeconds = 30.0
  package var turnSeconds = 10.0
  /// How long it may take to end, once its output is closed or it was killed.
  ///
  /// One that closes its output and goes on has no status.
  package var endSeconds = 10.0
  /// The longest line, in bytes without its end, and the most lines of a turn.
  package var lineBytes = 8 << 20
  package var linesPerTurn = 10_000
  /// What its processes may take together, in bytes that are resident.
  package var memoryBytes = 4 << 30

  package init() {}
}
