public import CacheModel

/// Carries out the store's requests to the network and the storage, and returns their results to it.
extension NormalizedCache {
  @inlinable func begin(_ request: CacheAction) {
    switch request {
    case .notify:
      break
    case .send(let token):
      send(token)
    case .flush:
      beginFlush()
    case .fetch(let fetch, let request):
      notifyOfFetch(request.target)
      let begun = instrument == nil ? .zero : clock.now
      // The time of the commit that asks for it.
      if isFollowed { record(.fetchBegan(fetch, request.target), at: store.now) }
      let refusal = refusal(of: request.target)
      Task { [source, weak self] in
        let result: Result<FetchResponse<Payload>, any Error>
        do {
          if let refusal { throw refusal }
          result = .success(try await source.fetch(request))
        } catch {
          result = .failure(error)
        }
        await self?.finish(fetch, of: request.target, begun: begun, with: result)
      }
    case .reconcile(let id, let stream, let position, let form):
      Task { [source, weak self] in
        let response = try? await source.missed(in: stream, after: position, form: form)
        await self?.finish(id, with: response)
      }
    }
  }

  /// The error without a fetch, if the schema rejects the target.
  @inlinable func refusal(of target: FetchTarget) -> (any Error)? {
    guard case .query(let key) = target else { return nil }
    return store.schema.refusal(of: key)
  }

  @inlinable func finish(
    _ fetch: FetchID, of target: FetchTarget, begun: Instant,
    with result: Result<FetchResponse<Payload>, any Error>
  ) {
    let now = clock.now
    if isFollowed {
      noteAnswer(result, of: target, begun: begun)
      recordAnswer(result, to: fetch, of: target, at: now)
    }
    let isCurrent = store.fetch(of: target) == fetch
    let ending =
      switch result {
      case .success(let response): store.completeFetch(fetch, with: response, at: now)
      case .failure: store.failFetch(fetch, at: now)
      }
    if case .query(let key) = target, isCurrent { noteError(of: key, ending, result) }
    if ending != .askedAgain {
      let waiting = waiters.removeValue(forKey: fetch) ?? []
      let rows = waiting.isEmpty ? .success([]) : rows(of: target, ending, result)
      if case .failure = rows { reads.noteFailures(waiting.count, of: target) }
      for waiter in waiting { waiter.continuation.resume(with: rows) }
    }
    carryOut()
    notifyOfFetch(target)
  }

  /// Keeps the error of a failed fetch for observed queries only, so that there are no more errors than
  /// these.
  @inlinable func noteError(
    of key: QueryKey, _ ending: FetchEnding, _ result: Result<FetchResponse<Payload>, any Error>
  ) {
    guard observers.isObserved(key) else { return fetchErrors[key] = nil }
    fetchErrors[key] =
      switch (ending, result) {
      case (.rejected(let error), _): error
      case (_, .failure(let error)): error
      case (_, .success): nil
      }
  }

  /// The results for calls that waited for a completed fetch.
  @inlinable func rows(
    of target: FetchTarget, _ ending: FetchEnding,
    _ result: Result<FetchResponse<Payload>, any Error>
  ) -> Result<[VersionedEntity<Payload>], any Error> {
    switch (ending, target) {
    case (.rejected(let error), _): .failure(error)
    case (.servedExpired, .query(let key)): .success(rows(of: key))
    case (.servedExpired, .entity(let key)): .success(store.peek(key).map { [$0] } ?? [])
    default: result.map { store.rows(of: target, answeredBy: $0) }
    }
  }

  @inlinable func finish(_ id: ReconcileID, with response: ReconcileResponse<Payload>?) {
    if let response {
      if isFollowed {
        noteChanges(of: response)
        record(response)
      }
      store.completeReconcile(id, with: response, at: clock.now)
    } else {
      store.failReconcile(id, at: clock.now)
    }
    carryOut()
  }
}

/// The server, as a cache sees it.
///
/// Called from the cache's tasks, never on its actor; calls overlap.
public protocol CacheSource<Payload, Change>: Sendable {
  associatedtype Payload: Sendable
  /// The type of a user's change; `Never` if the source cannot write.
  associatedtype Change: Sendable = Never

  /// Answers a query, or fetches one entity.
  ///
  /// An error reaches every waiting caller and is not cached; if ``Freshness/staleIfError`` allows it,
  /// callers get the expired result instead. An answer to a different request is an error: ``ResponseError``.
  ///
  /// If a source does not know whether an answer has changed, it returns the complete answer, whatever the
  /// request's condition.
  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Payload>

  /// Returns the events of a stream after a position. After an error the cache retries with increasing
  /// delays.
  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Payload>

  /// Applies a mutation: once for each token, however often it is sent, with the same answer each time.
  ///
  /// - Throws: ``MutationRejected`` if the server refuses it for good. Any other error counts as no answer: a
  ///   queued mutation is sent again.
  func send(_ mutation: ClientMutation<Payload, Change>) async throws -> MutationResponse<Payload>
}

extension CacheSource {
  /// Rejects every mutation: the default for a source that cannot write.
  public func send(
    _ mutation: ClientMutation<Payload, Change>
  ) async throws -> MutationResponse<Payload> {
    throw MutationRejected(reason: "this source cannot write")
  }
}
