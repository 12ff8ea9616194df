public import CacheModel

/// A change that a user makes and sees at once, before the server confirms it.
///
/// It lies over the confirmed state as an ordered list of edits, and is committed, or rolled back, as
/// a whole.
public struct ClientMutation<Payload: Sendable, Change: Sendable>: Sendable {
  public var token: MutationToken
  public var library: LibraryID
  /// In the order in which they apply.
  ///
  /// Empty in a mutation that is sent again only to learn what became of it: an event has told that
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
