import CacheModel
import NormalizedCacheCore

/// A query on screen.
struct View: Sendable {
  var observers = 0
  /// The rows that the view shows; `nil` where it shows nothing yet.
  var shown: [Handle]?
  /// When its observers were last told, in nanoseconds; `nil`: never.
  var toldAt: Int64?
  /// Notifications whose worth is known only when a fetch completes.
  var undecided = 0
  /// When the server read the latest answer to its query, in nanoseconds.
  var answerReadAt: Int64 = 0
  /// What its read last waited for.
  var fetch: FetchID?
}
