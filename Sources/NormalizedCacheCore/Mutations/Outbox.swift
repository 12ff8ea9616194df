public import CacheModel

/// Which of the queued mutations is sent, and when: one at a time, in order.
///
/// The mutations themselves are pending mutations like others; this is what sending them needs.
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
