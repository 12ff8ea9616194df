public import CacheModel
public import DequeModule

/// Decides which queued mutation is sent, and when: one at a time, in order.
///
/// Delivery is at least once, under one token: after a failure or a restart, a mutation with an unknown
/// result is sent again unchanged, and the server, which knows the token, applies it once. Source: IETF
/// draft-ietf-httpapi-idempotency-key-header, section 2.
@usableFromInline struct Outbox: Sendable {
  @usableFromInline var isOnline = true
  @usableFromInline private(set) var inFlight: MutationToken?
  /// The entry sent last, which a pause concerns.
  private var lastSent: MutationToken?
  /// The earliest time of the next attempt; `nil`: immediately.
  @usableFromInline private(set) var retryAt: Instant?
  /// The number of consecutive failures of the first entry.
  private var failures = 0
  /// Increases with each change of the queue.
  @usableFromInline private(set) var revision: UInt64 = 0
  /// The revision in the storage; `nil`: there is no storage to wait for.
  @usableFromInline var durableRevision: UInt64?

  @usableFromInline init() {}

  @usableFromInline mutating func didChange() { revision += 1 }

  /// Returns whether an entry queued at a revision may be sent now.
  @usableFromInline func maySend(queuedAt: UInt64, at now: Instant) -> Bool {
    guard isOnline, inFlight == nil else { return false }
    if let retryAt, now < retryAt { return false }
    guard let durableRevision else { return true }
    return queuedAt <= durableRevision
  }

  @usableFromInline mutating func didSend(_ token: MutationToken) {
    inFlight = token
    lastSent = token
    retryAt = nil
  }

  /// Notes that an entry has left the outbox; a pause of another one goes on.
  @usableFromInline mutating func didSettle(_ token: MutationToken) {
    didChange()
    guard lastSent == token else { return }
    inFlight = nil
    failures = 0
    retryAt = nil
  }

  /// Schedules a retry of the same entry after a pause.
  @usableFromInline mutating func didFail(at now: Instant) {
    inFlight = nil
    retryAt = now.advanced(by: BackOff.pause(after: failures))
    failures += 1
  }

  @usableFromInline mutating func didComeOnline() {
    failures = 0
    retryAt = nil
  }
}

/// The queued mutations in the order in which they are sent; they are pending mutations too.
extension OptimisticLayer {
  /// O(mutations).
  @inlinable var queued: [ClientMutation<Payload, Change>] {
    entries.filter(\.isQueued).map(\.mutation)
  }

  @inlinable var firstQueued: Entry? { queue.first.flatMap { index(of: $0) }.map { entries[$0] } }

  @inlinable var lastQueued: Entry? { queue.last.flatMap { index(of: $0) }.map { entries[$0] } }

  /// Marks the first entry as sent, if it may be sent.
  @inlinable mutating func takeNextToSend(at now: Instant) -> MutationToken? {
    guard let entry = firstQueued, let queuedAt = entry.queuedAt,
      outbox.maySend(queuedAt: queuedAt, at: now)
    else { return nil }
    outbox.didSend(entry.mutation.token)
    return entry.mutation.token
  }

  /// Returns whether a queued mutation is not yet in the storage, if there is one.
  @inlinable func isAwaitingStorage(_ token: MutationToken) -> Bool {
    guard let durable = outbox.durableRevision,
      let queuedAt = index(of: token).flatMap({ entries[$0].queuedAt })
    else { return false }
    return queuedAt > durable
  }

  /// Returns a mutation, and the queued ones after it that edit entities which it creates, transitively.
  @inlinable func withDependents(at index: Int) -> [MutationToken] {
    var created = Set(entries[index].mutation.createdKeys)
    var tokens = [entries[index].mutation.token]
    guard !created.isEmpty else { return tokens }
    for entry in entries[(index + 1)...] where entry.isQueued {
      guard entry.mutation.edits.contains(where: { created.contains($0.key) }) else { continue }
      created.formUnion(entry.mutation.createdKeys)
      tokens.append(entry.mutation.token)
    }
    return tokens
  }
}

/// The outbox: mutations made now and sent when the server can be reached, in order, one at a time.
///
/// The shell sends the mutation of ``CacheAction/send(_:)`` (``pendingMutation(_:)``) and reports the result:
/// ``completeSend(_:with:at:)``, ``rejectSend(_:at:)`` or ``failSend(_:at:)``. Each mutation takes effect on
/// the server once: nothing else is sent while one is in flight, and one with an unknown result is sent again
/// under the same token, which the server applies once.
///
/// With a storage (``persist(_:at:)``), a mutation is sent only after the storage has it.
extension CacheStore {
  /// Shows a mutation immediately, and sends it in its turn.
  ///
  /// - Throws: ``MutationError`` if it is already pending, or a limit is reached.
  @inlinable public mutating func enqueue(
    _ mutation: ClientMutation<Payload, Schema.Change>, at now: Instant
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
    beginCommit(at: now)
    defer { endCommit() }
    optimistic.outbox.didChange()
    add(mutation, deadline: nil, queuedAt: optimistic.outbox.revision)
  }

  /// Queues a mutation from the storage again; it is sent without waiting for the storage.
  ///
  /// One that had been sent before the restart is sent again, since its result is unknown.
  @inlinable mutating func requeue(
    _ mutation: ClientMutation<Payload, Schema.Change>
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
    optimistic.outbox.didChange()
    add(mutation, deadline: nil, queuedAt: 0)
  }

  /// The queued mutations that are not settled, in order, with the server's keys as far as they are known.
  ///
  /// The storage keeps these. Pending edits are stored nowhere else: the tables contain confirmed state.
  @inlinable public var outbox: [ClientMutation<Payload, Schema.Change>] { optimistic.queued }

  /// Returns whether a queued mutation is not yet in the storage, if there is one.
  @inlinable package func isAwaitingStorage(_ token: MutationToken) -> Bool {
    optimistic.isAwaitingStorage(token)
  }

  /// Sets whether the server can be reached.
  ///
  /// When it becomes reachable, pauses after failures end immediately: the first mutation of the outbox is sent,
  /// and a reconcile and the fetches of observed queries are requested again.
  @inlinable public mutating func setOnline(_ isOnline: Bool, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    let comesBack = isOnline && !optimistic.outbox.isOnline
    optimistic.outbox.isOnline = isOnline
    guard comesBack else { return }
    optimistic.outbox.didComeOnline()
    for index in streams.indices { endPause(ofStream: index, isFirst: true) }
    for query in queries.observed where queries[query].isBackingOff && isOwed(query) {
      queries[query].failures = 0
      endPause(of: query)
    }
  }

  /// Sends the first entry, if it may be sent.
  @inlinable mutating func sendNext() {
    guard var token = optimistic.takeNextToSend(at: now) else { return }
    if planted(.outboxOutOfOrder), let last = optimistic.lastQueued {
      token = last.mutation.token
      optimistic.outbox.didSend(token)
    }
    actions.append(.send(token))
  }

  /// Commits the sent mutation; the next one follows.
  @inlinable public mutating func completeSend(
    _ token: MutationToken, with response: MutationResponse<Payload>, at now: Instant
  ) {
    commit(token, with: response, at: now)
    if planted(.outboxSentTwice) { actions.append(.send(token)) }
  }

  /// Rolls back the sent mutation, which the server refused; the next one follows.
  ///
  /// A later queued mutation that edits an entity which the refused one creates cannot be applied as a whole,
  /// so it is rolled back too, transitively. One that an event has confirmed only leaves the outbox.
  ///
  /// - Parameters:
  ///   - token: the mutation; one that is not in flight is ignored.
  ///   - now: the time.
  /// - Returns: the mutations rolled back, in order, beginning with `token`; empty if there are none.
  @discardableResult
  @inlinable public mutating func rejectSend(
    _ token: MutationToken, at now: Instant
  ) -> [MutationToken] {
    beginCommit(at: now)
    defer { endCommit() }
    guard optimistic.outbox.inFlight == token, let index = optimistic.index(of: token) else {
      return []
    }
    let isCarriedOut = optimistic[index].isCarriedOut
    let fallen = optimistic.withDependents(at: index)
    for token in fallen { takeBack(token) }
    if isCarriedOut { return [] }
    return planted(.dependentsFallUnreported) ? Array(fallen.prefix(1)) : fallen
  }

  /// Schedules the sent mutation again after 1 s to 60 s, unchanged and under the same token: no answer came.
  ///
  /// A mutation that is not in flight is ignored.
  @inlinable public mutating func failSend(_ token: MutationToken, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    if optimistic.outbox.inFlight == token { optimistic.outbox.didFail(at: self.now) }
  }
}
