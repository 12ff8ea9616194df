public import CacheModel

/// Optimistic changes: shown at once, then committed or rolled back.
///
/// The tables hold confirmed state only; a pending mutation lies over it. Any order of commits and
/// rollbacks shows what replaying the remaining mutations over the confirmed state shows. While any
/// edit of an entity is pending, the entity is not evicted.
///
/// A mutation ends once: a second commit, a rollback after a commit, and an unknown token do nothing.
extension CacheStore {
  /// Shows a mutation that its caller sends to the server.
  ///
  /// O(edits), and O(rows) for each observed query in which they show.
  ///
  /// - Parameters:
  ///   - mutation: what to show, under a token of its own.
  ///   - timeout: after which it is taken back if it has not ended by then, so that it cannot hold
  ///     its entities for ever. A commit that comes later still writes what the server confirms.
  ///     `nil`: never.
  ///   - now: the time.
  /// - Throws: ``MutationError`` where it is pending already, or a limit is reached; nothing is
  ///   changed then.
  @inlinable public mutating func begin(
    _ mutation: ClientMutation<Payload, Schema.Change>, timeout: Duration? = .seconds(60),
    at now: Instant
  ) throws(MutationError) {
    try checkAdmission(of: mutation)
    beginCommit(at: now)
    defer { endCommit() }
    add(mutation, deadline: timeout.map { self.now.advanced(by: $0) }, queuedAt: nil)
  }

  /// The server carried a mutation out: what it confirms is written, and the pending edits end.
  ///
  /// Confirmed values are written like all others: an older version than the known one is not taken.
  /// Entities that the server gave other keys are found under both from now on.
  @inlinable public mutating func commit(
    _ token: MutationToken, with response: MutationResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    settle(token, with: response)
  }

  /// Takes a mutation back: what is shown is the confirmed state with the other mutations on top.
  ///
  /// One that waits in the outbox leaves it, with those that edit what it creates; one that has been
  /// sent from there is not taken back, since the server may have carried it out.
  ///
  /// - Parameters:
  ///   - token: the mutation.
  ///   - now: the time.
  /// - Returns: whether edits were taken back: not those of an unknown mutation, nor of one that an
  ///   event has confirmed.
  @discardableResult
  @inlinable public mutating func rollBack(_ token: MutationToken, at now: Instant) -> Bool {
    beginCommit(at: now)
    defer { endCommit() }
    guard sending.inFlight != token, let index = pending.index(of: token) else { return false }
    let hadEdits = !pending[index].mutation.edits.isEmpty
    if pending[index].isQueued {
      _ = takeBackWithDependents(token)
    } else {
      takeBack(token)
    }
    return hadEdits
  }

  /// Mutations that show something or wait for an answer.
  @inlinable public var pendingMutations: [MutationToken] {
    pending.tokens
  }

  /// A mutation that is pending, as it is to be sent: under the server's keys as far as they are known.
  ///
  /// `nil` for any other.
  @inlinable public func pendingMutation(
    _ token: MutationToken
  ) -> ClientMutation<Payload, Schema.Change>? {
    if planted(.renamedAfterRestart), let index = pending.index(of: token),
      pending[index].queuedAt == 0
    {
      var mutation = pending[index].mutation
      mutation.token = MutationToken(
        rawValue: UniqueID(high: ~token.rawValue.high, low: token.rawValue.low))
      return mutation
    }
    return pending.index(of: token).map { pending[$0].mutation }
  }

  /// Whether anything lies over the confirmed state.
  @inlinable package var hasPendingEdits: Bool { !pending.showsNothing }

  /// Whether a mutation that waits for an answer is known from an event to have been carried out.
  @inlinable public func isKnownToBeCarriedOut(_ token: MutationToken) -> Bool {
    pending.index(of: token).map { pending[$0].isCarriedOut } ?? false
  }

  /// The server's key of an entity that was created under a key of the client's own; any other key
  /// as it is.
  @inlinable public func serverKey(of key: EntityKey) -> EntityKey {
    pending.aliases.isEmpty ? key : pending.aliases.resolve(key)
  }

  // MARK: Steps of a commit

  /// - Throws: ``MutationError`` where a mutation is not to be taken.
  @inlinable func checkAdmission(
    of mutation: ClientMutation<Payload, Schema.Change>
  ) throws(MutationError) {
    guard pending.index(of: mutation.token) == nil else { throw .alreadyPending(mutation.token) }
    guard pending.limitedCount < StoreLimits.pendingMutations else {
      throw .tooManyPending(limit: StoreLimits.pendingMutations)
    }
    let edits = pending.edited.editCount + mutation.edits.count
    guard edits <= StoreLimits.pendingEdits else {
      throw .tooManyEdits(count: edits, limit: StoreLimits.pendingEdits)
    }
  }

  @inlinable mutating func add(
    _ mutation: ClientMutation<Payload, Schema.Change>, deadline: Instant?, queuedAt: UInt64?
  ) {
    var mutation = mutation
    if !pending.aliases.isEmpty {
      mutation.edits = mutation.edits.map { schema.renaming(pending.aliases.keys, in: $0) }
    }
    let library = libraries.index(of: mutation.library)
    // One of an earlier process may have been carried out then: its answer may be as old.
    let isOfNow = queuedAt != 0
    let entry = PendingMutation(
      mutation: mutation, library: library,
      verification: isOfNow ? libraries[library].verification : 0,
      doubts: isOfNow ? libraries[library].doubts : nil, deadline: deadline,
      queuedAt: queuedAt)
    changeOverlay(of: mutation.edits.map(\.key)) { $0.append(entry) }
  }

  @inlinable mutating func settle(
    _ token: MutationToken, with response: MutationResponse<Payload>
  ) {
    guard let index = pending.index(of: token) else { return }
    let entry = pending[index]
    if let place = response.place { noteBaseline(place, missed: place.position.sequence) }
    let place = streams.place(of: response.place)
    let library = libraries[entry.library]
    // One stream that has not come further knows nothing later.
    let isAhead =
      library.streamCount == 1 && place.map { $0.position >= streams[$0.stream].cursor } ?? false
    let isCovered = libraries.covers(
      place, verification: entry.verification, library: entry.library)
    var verification = isCovered ? library.verification : entry.verification
    // What could not be decoded since it began may be later than the answer.
    if !isAhead, entry.doubts != library.doubts { verification = LibraryTable.doubted }
    changeOverlay(of: editedKeys(at: index, renamedBy: response.keys)) { [schema] pending in
      pending.remove(at: index)
      pending.rename(response.keys) { schema.renaming(response.keys, in: $0) }
    }
    renameShown(response.keys)
    shown.confirmsOneEntity =
      response.changed.count == 1 && response.deleted.isEmpty && response.keys.isEmpty
    if entry.isQueued { sending.didSettle(token) }
    // What is queued behind it may be called otherwise now.
    if !response.keys.isEmpty { sending.didChange() }
    let created = Set(entry.mutation.createdKeys.map { response.keys[$0] ?? $0 })
    for entity in response.changed {
      if !isAhead, !created.contains(entity.key), mayBeOutdated(entity) {
        statistics.itemsSuperseded += 1
        doubtLists(about: entity, library: entry.library, since: place)
      } else {
        var entity = entity
        recordChange(
          of: &entity, library: entry.library, at: place, isCurrent: true,
          verification: verification)
        replaced.keep(entity)
      }
    }
    for (key, version) in response.deleted {
      record(.deleted(key, version: version, library: entry.library), at: place)
    }
  }

  /// An event tells that the server carried a mutation out: its edits end in the commit that applies
  /// the event, so that nothing shows twice.
  ///
  /// The response, which may come later, then only writes.
  @inlinable mutating func didCarryOut(
    _ token: MutationToken, keys: [EntityKey: EntityKey]
  ) {
    let index = pending.index(of: token)
    // Of a mutation that was taken back, and of other clients', only what is edited here matters.
    let keys = index == nil ? keys.filter { pending.hasEdits(of: $0.key) } : keys
    guard index != nil || !keys.isEmpty else { return }
    changeOverlay(of: editedKeys(at: index, renamedBy: keys)) { [schema] pending in
      if let index { pending.clearEdits(at: index, isCarriedOut: true) }
      pending.rename(keys) { schema.renaming(keys, in: $0) }
    }
    renameShown(keys)
    sending.didChange()
  }

  /// Notes places under the server's keys, once what stands there under the former is remembered.
  @inlinable mutating func renameShown(_ keys: [EntityKey: EntityKey]) {
    guard !keys.isEmpty else { return }
    rememberDeferred()
    shown.rename(keys)
  }

  @inlinable mutating func takeBack(_ token: MutationToken) {
    guard let index = pending.index(of: token) else { return }
    if planted(.rollbackRestoresWrongValue) { confirmShownValues(at: index) }
    let entry = pending[index]
    changeOverlay(of: editedKeys(at: index, renamedBy: [:])) { $0.remove(at: index) }
    if entry.isQueued { sending.didSettle(token) }
  }

  /// Gives up the mutations whose time is over; a late answer still finds them.
  @inlinable mutating func giveUpOverdueMutations() {
    for token in pending.overdue(at: now) {
      guard let index = pending.index(of: token) else { continue }
      changeOverlay(of: editedKeys(at: index, renamedBy: [:])) { pending in
        pending.clearEdits(at: index, isCarriedOut: false)
      }
    }
  }

  /// The entities that a mutation edits; where names change, all that are edited, since any of their
  /// values may name another.
  @inlinable func editedKeys(
    at index: Int?, renamedBy keys: [EntityKey: EntityKey]
  ) -> [EntityKey] {
    let edited = index.map { pending[$0].mutation.edits.map(\.key) } ?? []
    guard !keys.isEmpty else { return edited }
    let all = pending.edited.keys
    return all + all.compactMap { keys[$0] }
  }
}
