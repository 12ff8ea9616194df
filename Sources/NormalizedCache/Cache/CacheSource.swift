public import CacheModel

/// The server, as a cache sees it.
///
/// Called from tasks of the cache's own, never on its actor; calls overlap.
public protocol CacheSource<Payload>: Sendable {
  associatedtype Payload: Sendable

  /// Answers a query, or fetches one entity. An error reaches every caller that waits for it, and is
  /// not cached.
  func fetch(_ target: FetchTarget) async throws -> FetchResponse<Payload>

  /// What a stream told after a position. After an error the cache asks again, later each time.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Payload>
}
