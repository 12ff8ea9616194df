public import CacheModel

/// Optimistic changes: shown at once, then committed or rolled back.
///
/// The tables contain confirmed state only; pending mutations are applied on top. After any order of commits
/// and rollbacks, the visible state is that of replaying the remaining mutations over the confirmed state. An
/// entity with pending edits is not evicted.
///
/// A mutation ends once: a second commit, a rollback after a commit, and an unknown token have no effect.
extension CacheStore {
  /// Shows a mutation that the caller sends to the server.
  ///
  /// - Complexity: O(edits), and O(rows) for each observed query that shows them.
  /// - Parameters:
  ///   - mutation: the mutation, under a token of its own.
  ///   - timeout: the time after which a pending mutation is rolled back, so that it cannot hold its entities
  ///     forever. A later commit still writes what the server confirms. `nil`: never.
  ///   - now: the time.
  /// - Throws: ``MutationError`` if it is already pending, or a limit is reached; nothing changes then.
  @inlinable public mutating func begin(
    _ mutation: ClientMutation<Payload, Schema.Change>, timeout: Duration? = .seconds(60),
    at now: Instant
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
    beginCommit(at: now)
    defer { endCommit() }
    add(mutation, deadline: timeout.map { self.now.advanced(by: $0) }, queuedAt: nil)
  }

  /// Commits a mutation: writes the confirmed state, and ends the pending edits.
  ///
  /// Confirmed values are written like all others: only if they are not older than the known version.
  /// Entities with new keys from the server can be read by both keys from now on.
  @inlinable public mutating func commit(
    _ token: MutationToken, with response: MutationResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    settle(token, with: response)
  }

  /// Rolls back a mutation: the visible state is the confirmed state with the remaining mutations on top.
  ///
  /// A mutation that waits in the outbox leaves it, with those that edit entities which it creates. One that
  /// was sent from the outbox is not rolled back, since the server may have applied it.
  ///
  /// - Parameters:
  ///   - token: the mutation.
  ///   - now: the time.
  /// - Returns: whether edits were rolled back; `false` for an unknown mutation, or one that an event has
  ///   confirmed.
  @discardableResult
  @inlinable public mutating func rollBack(_ token: MutationToken, at now: Instant) -> Bool {
    beginCommit(at: now)
    defer { endCommit() }
    guard optimistic.outbox.inFlight != token, let index = optimistic.index(of: token) else {
      return false
    }
    let hadEdits = !optimistic[index].mutation.edits.isEmpty
    let fallen = optimistic[index].isQueued ? optimistic.withDependents(at: index) : [token]
    for token in fallen { takeBack(token) }
    return hadEdits
  }

  /// The mutations that show edits or wait for an answer.
  @inlinable public var pendingMutations: [MutationToken] { optimistic.tokens }

  /// Returns a pending mutation in the form to send: with the server's keys as far as they are known.
  ///
  /// Returns `nil` for any other mutation.
  @inlinable public func pendingMutation(
    _ token: MutationToken
  ) -> ClientMutation<Payload, Schema.Change>? {
    if planted(.renamedAfterRestart), let index = optimistic.index(of: token),
      optimistic[index].queuedAt == 0
    {
      var mutation = optimistic[index].mutation
      mutation.token = MutationToken(
        rawValue: UniqueID(high: ~token.rawValue.high, low: token.rawValue.low))
      return mutation
    }
    return optimistic.index(of: token).map { optimistic[$0].mutation }
  }

  @inlinable package var hasPendingEdits: Bool { !optimistic.showsConfirmed }

  /// Returns whether an event has shown that the server applied a mutation which still waits for its answer.
  @inlinable public func isKnownToBeCarriedOut(_ token: MutationToken) -> Bool {
    optimistic.index(of: token).map { optimistic[$0].isCarriedOut } ?? false
  }

  /// Returns the server's key of an entity that was created under a client's key; any other key unchanged.
  @inlinable public func serverKey(of key: EntityKey) -> EntityKey {
    optimistic.aliases.isEmpty ? key : optimistic.aliases.resolve(key)
  }

  // MARK: Steps of a commit

  @inlinable mutating func add(
    _ mutation: ClientMutation<Payload, Schema.Change>, deadline: Instant?, queuedAt: UInt64?
  ) {
    var mutation = mutation
    if !optimistic.aliases.isEmpty {
      mutation.edits = mutation.edits.map { schema.renaming(optimistic.aliases.keys, in: $0) }
    }
    let library = libraries.index(of: mutation.library)
    // A mutation of an earlier process may have been applied then: its answer may be as old.
    let isOfNow = queuedAt != 0
    let entry = PendingMutation(
      mutation: mutation, library: library,
      verification: isOfNow ? libraries[library].verification : 0,
      undecodableItems: isOfNow ? libraries[library].undecodableItems : nil, deadline: deadline,
      queuedAt: queuedAt)
    changeEdits(of: mutation.edits.map(\.key)) { $0.append(entry) }
  }

  @inlinable mutating func settle(
    _ token: MutationToken, with response: MutationResponse<Payload>
  ) {
    guard let index = optimistic.index(of: token) else { return }
    let entry = optimistic[index]
    if let place = response.place { noteBaseline(place, missed: place.position.sequence) }
    let place = streams.place(of: response.place)
    let library = libraries[entry.library]
    // A single stream without newer events has nothing newer than the answer.
    let isAhead =
      library.streamCount == 1 && place.map { $0.position >= streams[$0.stream].cursor } ?? false
    let isCovered = libraries.covers(
      place, verification: entry.verification, library: entry.library)
    var verification = isCovered ? library.verification : entry.verification
    // Undecodable items since the mutation began may be newer than the answer.
    if !isAhead, entry.undecodableItems != library.undecodableItems {
      verification = LibraryTable.unverified
    }
    changeEdits(of: optimistic.editedKeys(at: index, renamedBy: response.keys)) {
      [schema] layer in
      layer.remove(at: index)
      layer.rename(response.keys) { schema.renaming(response.keys, in: $0) }
    }
    renameVisible(response.keys)
    optimistic.visible.confirmsOneEntity =
      response.changed.count == 1 && response.deleted.isEmpty && response.keys.isEmpty
    if entry.isQueued { optimistic.outbox.didSettle(token) }
    // Mutations queued later may refer to these keys.
    if !response.keys.isEmpty { optimistic.outbox.didChange() }
    let created = Set(entry.mutation.createdKeys.map { response.keys[$0] ?? $0 })
    for entity in response.changed {
      if !isAhead, !created.contains(entity.key), mayBeOutdated(entity) {
        statistics.itemsSuperseded += 1
        markListsUnverified(about: entity, library: entry.library, since: place)
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

  /// Ends the edits of a mutation that an event confirms, in the commit that applies the event, so that
  /// nothing is shown twice.
  ///
  /// A later response only writes.
  @inlinable mutating func didCarryOut(_ token: MutationToken, keys: [EntityKey: EntityKey]) {
    let index = optimistic.index(of: token)
    // For mutations that were rolled back, or of other clients, only keys edited here matter.
    let keys = index == nil ? keys.filter { optimistic.hasEdits(of: $0.key) } : keys
    guard index != nil || !keys.isEmpty else { return }
    changeEdits(of: optimistic.editedKeys(at: index, renamedBy: keys)) { [schema] layer in
      if let index { layer.clearEdits(at: index, isCarriedOut: true) }
      layer.rename(keys) { schema.renaming(keys, in: $0) }
    }
    renameVisible(keys)
    optimistic.outbox.didChange()
  }

  /// Renames recorded positions to the server's keys, after the previous rows were recorded.
  @inlinable mutating func renameVisible(_ keys: [EntityKey: EntityKey]) {
    guard !keys.isEmpty else { return }
    rememberDeferred()
    optimistic.visible.rename(keys)
  }

  @inlinable mutating func takeBack(_ token: MutationToken) {
    guard let index = optimistic.index(of: token) else { return }
    if planted(.rollbackRestoresWrongValue) { confirmVisibleValues(at: index) }
    let entry = optimistic[index]
    changeEdits(of: optimistic.editedKeys(at: index)) { $0.remove(at: index) }
    if entry.isQueued { optimistic.outbox.didSettle(token) }
  }

  /// Rolls back mutations past their deadline; a late answer still finds them.
  @inlinable mutating func giveUpOverdueMutations() {
    for token in optimistic.overdue(at: now) {
      guard let index = optimistic.index(of: token) else { continue }
      changeEdits(of: optimistic.editedKeys(at: index)) { layer in
        layer.clearEdits(at: index, isCarriedOut: false)
      }
    }
  }
}

/// A user's change, shown before the server confirms it.
///
/// It is an ordered list of edits on top of the confirmed state, committed or rolled back as a whole.
public struct ClientMutation<Payload: Sendable, Change: Sendable>: Sendable {
  public var token: MutationToken
  public var library: LibraryID
  /// The edits in the order in which they apply.
  ///
  /// Empty in a mutation that is resent only for its answer: an event has shown that the server applied it.
  public var edits: [Edit]

  public enum Edit: Sendable {
    /// A new entity, under a client's key until the server has given it one.
    ///
    /// If the server adopts the client's key, an entity is never shown twice. If not, a fetch that is
    /// answered before the mutation's event or response may show the entity next to the pending one.
    case create(EntityKey, Payload)
    case update(EntityKey, Change)
    case delete(EntityKey)

    public var key: EntityKey {
      switch self {
      case .create(let key, _), .update(let key, _), .delete(let key): key
      }
    }
  }

  public init(token: MutationToken, library: LibraryID, edits: [Edit]) {
    self.token = token
    self.library = library
    self.edits = edits
  }

  /// The keys of created entities, in order.
  @inlinable public var createdKeys: [EntityKey] {
    edits.compactMap { edit in
      if case .create(let key, _) = edit { key } else { nil }
    }
  }
}

extension ClientMutation.Edit: Equatable where Payload: Equatable, Change: Equatable {}
extension ClientMutation.Edit: Hashable where Payload: Hashable, Change: Hashable {}

/// The server's answer to a mutation that it applied.
public struct MutationResponse<Payload: Sendable>: Sendable {
  /// The current values of changed entities.
  ///
  /// Include the edited entities; otherwise their previous values are shown until the event arrives.
  public var changed: [VersionedEntity<Payload>]
  /// Deleted entities, with the version of the deletion.
  public var deleted: [(key: EntityKey, version: Version)]
  /// The server's keys of created entities, by the client's keys.
  public var keys: [EntityKey: EntityKey]
  /// The stream position at which the answer was read; `nil` without a stream.
  public var place: EventEnvelope<Payload>.Place?

  public init(
    changed: [VersionedEntity<Payload>] = [], deleted: [(key: EntityKey, version: Version)] = [],
    keys: [EntityKey: EntityKey] = [:], place: EventEnvelope<Payload>.Place? = nil
  ) {
    self.changed = changed
    self.deleted = deleted
    self.keys = keys
    self.place = place
  }
}

/// Why a mutation is not accepted.
public enum MutationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A mutation with this token is already pending.
  case alreadyPending(MutationToken)
  /// The maximum number of pending mutations is reached.
  case tooManyPending(limit: Int)
  /// The pending mutations would exceed the maximum number of edits.
  case tooManyEdits(count: Int, limit: Int)

  @inlinable public var description: String {
    switch self {
    case .alreadyPending(let token):
      "mutation \(token.rawValue) is pending already; give each mutation a token of its own"
    case .tooManyPending(let limit):
      "\(limit) mutations are pending; commit or roll back some before beginning another"
    case .tooManyEdits(let count, let limit):
      "the pending mutations would have \(count) edits, at most \(limit) are taken; "
        + "divide the mutation, or wait until others are settled"
    }
  }
}

/// The server refuses a mutation for good: sent again, it would be refused again.
///
/// Thrown by ``CacheSource/send(_:)``. Any other error counts as no answer: it is unknown whether the server
/// applied the mutation.
public struct MutationRejected: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server's reason.
  public var reason: String

  public init(reason: String) { self.reason = reason }

  public var description: String { "the server rejected the mutation: \(reason)" }
}
