public import CacheModel

/// Two ways to send a user's changes: one waits for the server's answer, the other works offline.
extension NormalizedCache {
  public typealias Mutation = ClientMutation<Schema.Payload, Schema.Change>
  /// Called with the queued mutations that were rolled back because the server rejected the first of them.
  public typealias RejectionHandler = @Sendable ([MutationToken], MutationRejected) -> Void

  /// Shows a change immediately and sends it; then keeps it if the server confirms it, or rolls it back.
  ///
  /// After an error other than ``MutationRejected`` it is unknown whether the server has applied the change:
  /// sent again under the same token, it is applied once.
  ///
  /// - Parameters:
  ///   - mutation: the change, under a token of its own.
  ///   - timeout: the time after which the change is no longer shown, though the call continues to wait;
  ///     `nil`: never.
  /// - Returns: the server's keys of created entities, by the client's keys.
  /// - Throws: ``MutationError`` if the change is not accepted; the source's error, after the change was
  ///   rolled back.
  @discardableResult
  @inlinable public func mutate(
    _ mutation: Mutation, timeout: Duration? = .seconds(60)
  ) async throws -> [EntityKey: EntityKey] {
    let token = mutation.token
    try store.begin(mutation, timeout: timeout, at: clock.now)
    if isFollowed { noteChanges(of: mutation) }
    carryOut()
    do {
      let response = try await source.send(store.pendingMutation(token) ?? mutation)
      store.commit(token, with: response, at: clock.now)
      if isFollowed {
        noteChanges(of: mutation, response)
        record(response)
      }
      carryOut()
    } catch {
      // If an event has already confirmed it, the lost answer does not matter.
      let isCarriedOut = store.isKnownToBeCarriedOut(token)
      store.rollBack(token, at: clock.now)
      if isFollowed { noteChanges(of: mutation) }
      carryOut()
      if !isCarriedOut { throw error }
    }
    let keys = mutation.createdKeys.map { ($0, store.serverKey(of: $0)) }
    return Dictionary(keys) { first, _ in first }
  }

  /// Shows a change immediately and sends it when the server can be reached, after those queued earlier.
  ///
  /// With a storage the call returns when the storage has the change, without waiting for the write-behind
  /// window: from then on the change survives the process. If the storage fails the call returns too, and
  /// ``storageState`` says why.
  ///
  /// - Throws: ``MutationError`` if the change is not accepted.
  @inlinable public func enqueue(_ mutation: Mutation) async throws {
    try store.enqueue(mutation, at: clock.now)
    if isFollowed { noteChanges(of: mutation) }
    carryOut()
    // A batch on its way to the storage may have been collected before this mutation.
    while store.isAwaitingStorage(mutation.token), let flushTask { await flushTask.value }
  }

  /// Tells the cache whether the server can be reached: queued changes are sent, or wait.
  ///
  /// Reads and ``mutate(_:timeout:)`` ask the server in any case, and fail as it does.
  @inlinable public func setOnline(_ isOnline: Bool) {
    commit { store, now in store.setOnline(isOnline, at: now) }
  }

  /// The queued changes that are not settled, in order.
  @inlinable public var outbox: [Mutation] { store.outbox }

  /// Sets the handler for queued mutations that the server rejects; it replaces the previous one.
  @inlinable public func onRejection(_ handler: RejectionHandler?) { rejectionHandler = handler }

  @inlinable func send(_ token: MutationToken) {
    guard let mutation = store.pendingMutation(token) else { return }
    Task { [source, weak self] in
      let result: Result<MutationResponse<Payload>, any Error>
      do {
        result = .success(try await source.send(mutation))
      } catch {
        result = .failure(error)
      }
      await self?.finish(mutation, with: result)
    }
  }

  @inlinable func finish(
    _ mutation: Mutation, with result: Result<MutationResponse<Payload>, any Error>
  ) {
    let token = mutation.token
    if isFollowed { noteChanges(of: mutation, try? result.get()) }
    switch result {
    case .success(let response):
      if isFollowed { record(response) }
      store.completeSend(token, with: response, at: clock.now)
    case .failure(let rejection as MutationRejected):
      let queued = isFollowed ? store.outbox : []
      let fallen = store.rejectSend(token, at: clock.now)
      for mutation in queued where fallen.contains(mutation.token) { noteChanges(of: mutation) }
      // If an event has already confirmed it, a refusal does not matter.
      if !fallen.isEmpty { rejectionHandler?(fallen, rejection) }
    case .failure:
      store.failSend(token, at: clock.now)
    }
    carryOut()
  }
}
