import CacheModel

/// A state with its rows read as an app's values.
///
/// Reading happens on no actor, so that it keeps neither the cache nor the screen waiting.
struct ShownQuery<Value: Sendable>: Sendable {
  struct Rows: Sendable {
    var values: [Value]
    var isComplete: Bool
    /// Why the first row was left out that could not be read.
    var error: (any Error)?
  }

  /// `nil`: as before.
  var rows: Rows?
  var hasResult: Bool
  var hasMore: Bool
  var isFresh: Bool
  var isFetching: Bool
  var error: (any Error)?
  var order: UInt64

  init<Payload: Sendable>(
    _ state: QueryState<Payload>, reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    hasResult = state.hasResult
    hasMore = state.hasMore
    isFresh = state.isFresh
    isFetching = state.isFetching
    error = state.error
    order = state.order
    guard let snapshot = state.snapshot else { return }
    var rows = Rows(values: [], isComplete: snapshot.isComplete, error: nil)
    rows.values.reserveCapacity(snapshot.rows.count)
    for row in snapshot.rows {
      do {
        rows.values.append(try read(row))
      } catch {
        rows.isComplete = false
        if rows.error == nil { rows.error = error }
      }
    }
    self.rows = rows
  }
}
