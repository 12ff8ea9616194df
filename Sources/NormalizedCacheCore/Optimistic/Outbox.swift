public import CacheModel
public import DequeModule

/// Which of the queued mutations is sent, and when: one at a time, in order.
///
/// At least once, under one token: after a failure, or a restart, an entry whose fate is not known is
/// sent again as it was, and the server, which knows the token, carries it out once. Source: IETF
/// draft-ietf-httpapi-idempotency-key-header, section 2.
@usableFromInline struct Outbox: Sendable {
  @usableFromInline var isOnline = true
  @usableFromInline private(set) var inFlight: MutationToken?
  /// Not before then; `nil`: at once.
  @usableFromInline private(set) var retryAt: Instant?
  /// How often the first entry failed in a row.
  private var failures = 0
  /// Grows with each change of what is queued.
  @usableFromInline private(set) var revision: UInt64 = 0
  /// The revision that the storage has; `nil`: there is no storage to wait for.
  @usableFromInline var durableRevision: UInt64?

  @usableFromInline init() {}

  @usableFromInline mutating func didChange() { revision += 1 }

  /// Whether an entry that has been queued since a revision may be sent now.
  @usableFromInline func maySend(queuedAt: UInt64, at now: Instant) -> Bool {
    guard isOnline, inFlight == nil else { return false }
    if let retryAt, now < retryAt { return false }
    guard let durableRevision else { return true }
    return queuedAt <= durableRevision
  }

  @usableFromInline mutating func didSend(_ token: MutationToken) {
    inFlight = token
    retryAt = nil
  }

  /// An entry has left the outbox.
  @usableFromInline mutating func didSettle(_ token: MutationToken) {
    didChange()
    if inFlight == token { inFlight = nil }
    failures = 0
    retryAt = nil
  }

  /// No answer came: the same entry is sent again after a pause.
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

/// The queued mutations: pending ones like others, in the order in which they are sent.
extension OptimisticLayer {
  /// O(mutations).
  @inlinable var queued: [ClientMutation<Payload, Change>] {
    entries.filter(\.isQueued).map(\.mutation)
  }

  @inlinable var firstQueued: Entry? { queue.first.flatMap { index(of: $0) }.map { entries[$0] } }

  @inlinable var lastQueued: Entry? { queue.last.flatMap { index(of: $0) }.map { entries[$0] } }

  /// Takes the first entry as sent, if it may go.
  @inlinable mutating func takeNextToSend(at now: Instant) -> MutationToken? {
    guard let entry = firstQueued, let queuedAt = entry.queuedAt,
      outbox.maySend(queuedAt: queuedAt, at: now)
    else { return nil }
    outbox.didSend(entry.mutation.token)
    return entry.mutation.token
  }

  /// Whether a queued mutation lies in no storage yet, though there is one to wait for.
  @inlinable func isAwaitingStorage(_ token: MutationToken) -> Bool {
    guard let durable = outbox.durableRevision,
      let queuedAt = index(of: token).flatMap({ entries[$0].queuedAt })
    else { return false }
    return queuedAt > durable
  }

  /// A mutation, and the queued ones behind it that edit what it creates, and so on.
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

/// The outbox: mutations that are made now and sent when the server can be reached, in order, one at
/// a time.
///
/// The shell sends what ``CacheAction/send(_:)`` names (``pendingMutation(_:)``) and says how it went:
/// ``completeSend(_:with:at:)``, ``rejectSend(_:at:)``, ``failSend(_:at:)``. Each entry has its effect
/// on the server once: while one is in flight nothing is sent, and one whose fate is unknown is sent
/// again under the same token, which the server carries out once.
///
/// With a storage (``persist(_:at:)``), an entry is sent only after the storage has it.
extension CacheStore {
  /// Shows a mutation at once and sends it when its turn comes.
  ///
  /// - Throws: ``MutationError`` where it is pending already, or a limit is reached.
  @inlinable public mutating func enqueue(
    _ mutation: ClientMutation<Payload, Schema.Change>, at now: Instant
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
    beginCommit(at: now)
    defer { endCommit() }
    optimistic.outbox.didChange()
    add(mutation, deadline: nil, queuedAt: optimistic.outbox.revision)
  }

  /// Queues again what a storage kept; it is sent without waiting for the storage.
  ///
  /// What had been sent before the restart is sent again, since its fate is not known.
  @inlinable mutating func requeue(
    _ mutation: ClientMutation<Payload, Schema.Change>
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
    optimistic.outbox.didChange()
    add(mutation, deadline: nil, queuedAt: 0)
  }

  /// What is queued and not settled, in order, under the server's keys as far as they are known.
  ///
  /// It is what a storage keeps. Pending edits are nowhere else: the tables hold confirmed state.
  @inlinable public var outbox: [ClientMutation<Payload, Schema.Change>] { optimistic.queued }

  /// Whether a queued mutation lies in no storage yet, though there is one to wait for.
  @inlinable package func isAwaitingStorage(_ token: MutationToken) -> Bool {
    optimistic.isAwaitingStorage(token)
  }

  /// The server can be reached, or no longer.
  ///
  /// When it can be reached again, nothing waits out the pause after a failure: the first entry of the
  /// outbox is sent, and a reconcile and the fetches of observed queries are asked for again, at once.
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

  /// Sends the first entry if it may go.
  @inlinable mutating func sendNext() {
    guard var token = optimistic.takeNextToSend(at: now) else { return }
    if planted(.outboxOutOfOrder), let last = optimistic.lastQueued {
      token = last.mutation.token
      optimistic.outbox.didSend(token)
    }
    actions.append(.send(token))
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
    guard optimistic.outbox.inFlight == token, let index = optimistic.index(of: token) else {
      return []
    }
    let fallen = optimistic.withDependents(at: index)
    for token in fallen { takeBack(token) }
    return planted(.dependentsFallUnreported) ? Array(fallen.prefix(1)) : fallen
  }

  /// No answer came: it is sent again, the same under the same token, after 1 s to 60 s.
  ///
  /// One that is not in flight is ignored.
  @inlinable public mutating func failSend(_ token: MutationToken, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    if optimistic.outbox.inFlight == token { optimistic.outbox.didFail(at: self.now) }
  }
}
