/// A read by a user or a view, while it is answered.
struct Read: Sendable {
  /// The action of the client's script that made it.
  var action: Int
  /// The query, as an index of the workload's; `nil` for a single entity.
  var query: Int?
  /// The entity, where it is one, as a place in `Catalog.objects`.
  var object: UInt32 = 0
  /// When it was made, in nanoseconds.
  var since: Int64
  /// What a wait for it is counted as.
  var outcome = Outcome.hitFresh
  /// Whether a view asked again by itself.
  var isRedraw = false
  /// Whether the client had never read the query or entity before.
  var isFirst = false
  /// Whether it is the process's first of something that a former one had read.
  var isColdStart = false
  /// Whether a view appeared for it, so that it ends when that is left.
  var isOfView = false
  /// Whether the link was down when it was made.
  var isOffline = false
  /// Whether it is of a query that the user wants kept.
  var isTagged = false
  /// Whether the user does nothing until it is answered.
  var isAwaited = false
  /// How old what it was served is, in nanoseconds, where that is not the truth and can be told.
  var age: Int64?
  /// How that differs from the truth; only where reads are written down.
  var difference: RowDifference?
}
