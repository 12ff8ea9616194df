public import CacheModel

/// Two doors for a user's changes: one that waits for the server's word, one that works offline.
extension NormalizedCache {
  public typealias Mutation = ClientMutation<Schema.Payload, Schema.Change>
  /// Called with the queued mutations that were taken back because the server rejected the first of them.
  public typealias RejectionHandler = @Sendable ([MutationToken], MutationRejected) -> Void

  /// Shows a change at once and sends it; then keeps what the server confirms, or takes it back.
  ///
  /// After an error it is not known whether the server carried it out, unless it is
  /// ``MutationRejected``: sent again under the same token, it is carried out once.
  ///
  /// - Parameters:
  ///   - mutation: the change, under a token of its own.
  ///   - timeout: after which it no longer shows, though the call goes on waiting; `nil`: never.
  /// - Returns: the server's keys of what it created, by the client's.
  /// - Throws: ``MutationError`` where it is not taken; the source's error, after it was taken back.
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
      // If an event has shown it already, the lost answer is not missed.
      let isCarriedOut = store.isKnownToBeCarriedOut(token)
      store.rollBack(token, at: clock.now)
      if isFollowed { noteChanges(of: mutation) }
      carryOut()
      if !isCarriedOut { throw error }
    }
    let keys = mutation.createdKeys.map { ($0, store.serverKey(of: $0)) }
    return Dictionary(keys) { first, _ in first }
  }

  /// Shows a change at once and sends it when the server can be reached, after those queued before
  /// it.
  ///
  /// Where there is a storage, it returns when that has the change, which waits for no window: from then
  /// on it survives the process. Where the storage fails it returns too, and ``storageState`` says why.
  ///
  /// - Throws: ``MutationError`` where it is not taken.
  @inlinable public func enqueue(_ mutation: Mutation) async throws {
    try store.enqueue(mutation, at: clock.now)
    if isFollowed { noteChanges(of: mutation) }
    carryOut()
    // What is on its way to the storage may have been taken before.
    while store.isAwaitingStorage(mutation.token), let flushTask { await flushTask.value }
  }

  /// The server can be reached, or no longer: what is queued is sent, or waits.
  @inlinable public func setOnline(_ isOnline: Bool) {
    commit { store, now in store.setOnline(isOnline, at: now) }
  }

  /// What is queued and not settled, in order.
  @inlinable public var outbox: [Mutation] { store.outbox }

  /// Calls `handler`, instead of the one before, when the server rejects a queued mutation.
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
      let fallen = store.rejectSend(token, at: clock.now)
      rejectionHandler?(fallen, rejection)
    case .failure:
      store.failSend(token, at: clock.now)
    }
    carryOut()
  }
}
