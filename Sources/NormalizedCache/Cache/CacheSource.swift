public import CacheModel

/// The server, as a cache sees it.
///
/// Called from tasks of the cache's own, never on its actor; calls overlap.
public protocol CacheSource<Payload>: Sendable {
  associatedtype Payload: Sendable

  /// Answers a query, or fetches one entity. An error reaches every caller that waits for it, and is
  /// not cached; where ``Freshness/staleIfError`` says so, callers get what has expired instead.
  ///
  /// A source that cannot tell whether an answer has changed gives it whole, whatever the request's
  /// condition.
  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Payload>

  /// What a stream told after a position. After an error the cache asks again, later each time.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Payload>
}
