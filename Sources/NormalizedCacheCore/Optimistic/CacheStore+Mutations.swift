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
  ///     its entities forever. A commit that comes later still writes what the server confirms.
  ///     `nil`: never.
  ///   - now: the time.
  /// - Throws: ``MutationError`` where it is pending already, or a limit is reached; nothing is
  ///   changed then.
  @inlinable public mutating func begin(
    _ mutation: ClientMutation<Payload, Schema.Change>, timeout: Duration? = .seconds(60),
    at now: Instant
  ) throws(MutationError) {
    try optimistic.checkAdmission(of: mutation)
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
    guard optimistic.outbox.inFlight != token, let index = optimistic.index(of: token) else {
      return false
    }
    let hadEdits = !optimistic[index].mutation.edits.isEmpty
    let fallen = optimistic[index].isQueued ? optimistic.withDependents(at: index) : [token]
    for token in fallen { takeBack(token) }
    return hadEdits
  }

  /// Mutations that show something or wait for an answer.
  @inlinable public var pendingMutations: [MutationToken] { optimistic.tokens }

  /// A mutation that is pending, as it is to be sent: under the server's keys as far as they are known.
  ///
  /// `nil` for any other.
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

  /// Whether anything lies over the confirmed state.
  @inlinable package var hasPendingEdits: Bool { !optimistic.showsConfirmed }

  /// Whether a mutation that waits for an answer is known from an event to have been carried out.
  @inlinable public func isKnownToBeCarriedOut(_ token: MutationToken) -> Bool {
    optimistic.index(of: token).map { optimistic[$0].isCarriedOut } ?? false
  }

  /// The server's key of an entity that was created under a key of the client's own; any other key
  /// as it is.
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
    // One of an earlier process may have been carried out then: its answer may be as old.
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
    // One stream that has not come further knows nothing later.
    let isAhead =
      library.streamCount == 1 && place.map { $0.position >= streams[$0.stream].cursor } ?? false
    let isCovered = libraries.covers(
      place, verification: entry.verification, library: entry.library)
    var verification = isCovered ? library.verification : entry.verification
    // What could not be decoded since it began may be later than the answer.
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
    // What is queued behind it may be called otherwise now.
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

  /// An event shows that the server carried a mutation out: its edits end in the commit that applies
  /// the event, so that nothing shows twice.
  ///
  /// The response, which may come later, then only writes.
  @inlinable mutating func didCarryOut(_ token: MutationToken, keys: [EntityKey: EntityKey]) {
    let index = optimistic.index(of: token)
    // Of a mutation that was taken back, and of other clients', only what is edited here matters.
    let keys = index == nil ? keys.filter { optimistic.hasEdits(of: $0.key) } : keys
    guard index != nil || !keys.isEmpty else { return }
    changeEdits(of: optimistic.editedKeys(at: index, renamedBy: keys)) { [schema] layer in
      if let index { layer.clearEdits(at: index, isCarriedOut: true) }
      layer.rename(keys) { schema.renaming(keys, in: $0) }
    }
    renameVisible(keys)
    optimistic.outbox.didChange()
  }

  /// Notes positions under the server's keys, once the rows under the former are remembered.
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

  /// Gives up the mutations whose time is over; a late answer still finds them.
  @inlinable mutating func giveUpOverdueMutations() {
    for token in optimistic.overdue(at: now) {
      guard let index = optimistic.index(of: token) else { continue }
      changeEdits(of: optimistic.editedKeys(at: index)) { layer in
        layer.clearEdits(at: index, isCarriedOut: false)
      }
    }
  }
}

/// A change that a user makes and sees at once, before the server confirms it.
///
/// It lies over the confirmed state as an ordered list of edits, and is committed, or rolled back, as
/// a whole.
public struct ClientMutation<Payload: Sendable, Change: Sendable>: Sendable {
  public var token: MutationToken
  public var library: LibraryID
  /// In the order in which they apply.
  ///
  /// Empty in a mutation that is sent again only to learn what became of it: an event has shown that
  /// the server carried it out.
  public var edits: [Edit]

  public enum Edit: Sendable {
    /// A new entity, under a key of the client's own until the server has given it one.
    ///
    /// Where the server adopts the client's key, nothing can ever be shown twice; where it does not,
    /// a fetch that is answered before the mutation's own event or response may show the entity
    /// beside the pending one.
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

  /// The keys of what it creates, in order.
  @inlinable public var createdKeys: [EntityKey] {
    edits.compactMap { edit in
      if case .create(let key, _) = edit { key } else { nil }
    }
  }
}

/// The server's answer to a mutation that it carried out.
public struct MutationResponse<Payload: Sendable>: Sendable {
  /// The entities as they are now.
  ///
  /// What the mutation edited should be among them, else the former value shows until its event.
  public var changed: [VersionedEntity<Payload>]
  /// Those that are gone, and since which version.
  public var deleted: [(key: EntityKey, version: Version)]
  /// The server's keys of what was created under keys of the client's own.
  public var keys: [EntityKey: EntityKey]
  /// The place in the stream at which the answer was read; `nil` where there is no stream.
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

/// Why a mutation is not taken.
public enum MutationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A mutation of this token is pending already.
  case alreadyPending(MutationToken)
  /// So many mutations are pending that no more are taken.
  case tooManyPending(limit: Int)
  /// The pending mutations would have more edits than are taken.
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
/// Thrown by ``CacheSource/send(_:)``. Any other error counts as no answer, after which it is not
/// known whether the server carried the mutation out.
public struct MutationRejected: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, in the server's words.
  public var reason: String

  public init(reason: String) { self.reason = reason }

  public var description: String { "the server rejected the mutation: \(reason)" }
}
