public import CacheModel

/// The outbox: mutations that are made now and sent when the server can be reached, in order, one at
/// a time.
///
/// The shell sends what ``CacheAction/send(_:)`` names (``pendingMutation(_:)``) and says how it went: ``completeSend(_:with:at:)``,
/// ``rejectSend(_:at:)``, ``failSend(_:at:)``. Each entry has its effect on the server once: while one
/// is in flight nothing is sent, and one whose fate is unknown is sent again under the same token,
/// which the server carries out once.
///
/// With a storage (``persist(_:at:)``), an entry is sent only after the storage has it.
extension CacheStore {
  /// Shows a mutation at once and sends it when its turn comes.
  ///
  /// - Throws: ``MutationError`` where it is pending already, or a limit is reached.
  @inlinable public mutating func enqueue(
    _ mutation: ClientMutation<Payload, Schema.Change>, at now: Instant
  ) throws(MutationError) {
    try checkAdmission(of: mutation)
    beginCommit(at: now)
    defer { endCommit() }
    sending.didChange()
    add(mutation, deadline: nil, queuedAt: sending.revision)
  }

  /// The server can be reached, or no longer.
  ///
  /// When it can be reached again, nothing waits out the pause after a failure: the first entry of the
  /// outbox is sent, and a reconcile and the fetches of observed queries are asked for again, at once.
  @inlinable public mutating func setOnline(_ isOnline: Bool, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    let comesBack = isOnline && !sending.isOnline
    sending.isOnline = isOnline
    guard comesBack else { return }
    sending.didComeOnline()
    for index in streams.indices { endPause(ofStream: index, isFirst: true) }
    for query in queries.observed where queries[query].isBackingOff && isOwed(query) {
      queries[query].failures = 0
      endPause(of: query)
    }
  }

  /// The server carried out what was sent; the next goes on.
  @inlinable public mutating func completeSend(
    _ token: MutationToken, with response: MutationResponse<Payload>, at now: Instant
  ) {
    commit(token, with: response, at: now)
    if planted(.outboxSentTwice) { actions.append(.send(token)) }
  }

  /// The server refuses what was sent: it is taken back alone, and the next goes on.
  ///
  /// A later queued mutation that edits an entity which the refused one creates cannot be carried out
  /// as a whole, so it falls with it, and so on.
  ///
  /// - Parameters:
  ///   - token: the mutation; one that is not in flight is ignored.
  ///   - now: the time.
  /// - Returns: what was taken back, in order, the mutation itself first.
  @discardableResult
  @inlinable public mutating func rejectSend(
    _ token: MutationToken, at now: Instant
  ) -> [MutationToken] {
    beginCommit(at: now)
    defer { endCommit() }
    guard sending.inFlight == token else { return [] }
    if planted(.dependentsFallUntold) {
      return Array(takeBackWithDependents(token).prefix(1))
    }
    return takeBackWithDependents(token)
  }

  /// No answer came: it is sent again, the same under the same token, after 1 s to 60 s.
  ///
  /// One that is not in flight is ignored.
  @inlinable public mutating func failSend(_ token: MutationToken, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    if sending.inFlight == token { sending.didFail(at: self.now) }
  }

  // MARK: Storage

  /// Whether a queued mutation lies in no storage yet, though there is one to wait for.
  @inlinable package func isAwaitingStorage(_ token: MutationToken) -> Bool {
    guard let durable = sending.durableRevision, let index = pending.index(of: token),
      let queuedAt = pending[index].queuedAt
    else { return false }
    return queuedAt > durable
  }

  /// What is queued and not settled, in order, under the server's keys as far as they are known.
  ///
  /// It is what a storage keeps. Pending edits are nowhere else: the tables hold confirmed state.
  @inlinable public var outbox: [ClientMutation<Payload, Schema.Change>] {
    pending.queued.map(\.mutation)
  }

  /// Queues again what a storage kept; it is sent without waiting for the storage.
  ///
  /// What had been sent before the restart is sent again, since its fate is not known.
  @inlinable mutating func requeue(
    _ mutation: ClientMutation<Payload, Schema.Change>
  ) throws(MutationError) {
    try checkAdmission(of: mutation)
    sending.didChange()
    add(mutation, deadline: nil, queuedAt: 0)
  }

  // MARK: Steps of a commit

  /// When a mutation is given up, or the outbox tries again.
  @inlinable var mutationDeadline: Instant? {
    guard !pending.isEmpty else { return nil }
    let retry = sending.isOnline && sending.inFlight == nil ? sending.retryAt : nil
    guard let deadline = pending.nextDeadline else { return retry }
    return min(deadline, retry ?? deadline)
  }

  /// Sends the first entry if it may go.
  @inlinable mutating func sendNext() {
    guard let entry = pending.firstQueued, let queuedAt = entry.queuedAt,
      sending.maySend(queuedAt: queuedAt, at: now)
    else { return }
    sending.didSend(entry.mutation.token)
    if planted(.outboxOutOfOrder), let last = pending.lastQueued {
      sending.didSend(last.mutation.token)
      actions.append(.send(last.mutation.token))
      return
    }
    actions.append(.send(entry.mutation.token))
  }

  /// Takes a mutation back, and the queued ones behind it that edit what it creates.
  @inlinable mutating func takeBackWithDependents(_ token: MutationToken) -> [MutationToken] {
    guard let index = pending.index(of: token) else { return [] }
    var fallen = Set(pending[index].mutation.createdKeys)
    var takenBack = [token]
    if !fallen.isEmpty {
      for entry in pending.queued(after: index) {
        guard entry.mutation.edits.contains(where: { fallen.contains($0.key) }) else { continue }
        fallen.formUnion(entry.mutation.createdKeys)
        takenBack.append(entry.mutation.token)
      }
    }
    for token in takenBack { takeBack(token) }
    return takenBack
  }
}
