public import CacheModel

/// The server, as a cache sees it.
///
/// Called from tasks of the cache's own, never on its actor; calls overlap.
public protocol CacheSource<Payload, Change>: Sendable {
  associatedtype Payload: Sendable
  /// What users may change; none where the source cannot write.
  associatedtype Change: Sendable = Never

  /// Answers a query, or fetches one entity. An error reaches every caller that waits for it, and is
  /// not cached; where ``Freshness/staleIfError`` says so, callers get what has expired instead.
  ///
  /// An answer to something else than was asked counts as an error: ``ResponseError``.
  ///
  /// A source that cannot tell whether an answer has changed gives it whole, whatever the request's
  /// condition.
  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Payload>

  /// What a stream told after a position. After an error the cache asks again, later each time.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Payload>

  /// Carries a mutation out, once for each token however often it is sent, and answers the same each
  /// time.
  ///
  /// - Throws: ``MutationRejected`` where the server refuses it for good. Any other error counts as no
  ///   answer: a queued mutation is sent again.
  func send(
    _ mutation: ClientMutation<Payload, Change>
  ) async throws -> MutationResponse<Payload>
}

extension CacheSource {
  /// A source that cannot write rejects every mutation.
  public func send(
    _ mutation: ClientMutation<Payload, Change>
  ) async throws -> MutationResponse<Payload> {
    throw MutationRejected(reason: "this source cannot write")
  }
}
