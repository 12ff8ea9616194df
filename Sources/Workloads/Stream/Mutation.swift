package import CacheModel

/// One commit of the server, and the event that tells of it.
package struct Mutation: Hashable, Sendable {
  package var at: Instant
  /// The device that asked for it.
  package var device: UInt32
  package var position: StreamPosition
  /// Whether it has that place in the stream; else it bears the place of the one before it.
  ///
  /// Only a recording has others: an app hears of some things without a place, and sees states of which no
  /// event told.
  package var isPlaced = true
  package var kind: Kind
  /// A range of `Workload.items`.
  package var items: Range<Int>
  /// The size of the event as sent, in bytes: envelope and items.
  package var bytes: Int
  /// The version of a deletion, later than that of every state it ends; `.none` for other kinds, whose
  /// items bring their own.
  package var version: Version
  /// What a batch comes from; `nil` for what is none, or where it is not told.
  package var origin: EventOrigin?
  /// The write of a user's (`Workload.writes`) that other clients hear of by it, at the instant at which
  /// it would reach the server without anything in its way; `nil` for what others do.
  ///
  /// In the run of the client that makes it, it happens when it arrives instead.
  package var write: UInt32?
  /// When the old state was seen last, where an app knows only that it happened after this, and no later than
  /// `at`; `nil`: it happened at `at`.
  package var since: Instant?
  /// The client whose write it was, where the answer to that told of it; `nil`: it is not told.
  package var author: UInt32?

  package enum Kind: Sendable, Hashable {
    /// One item.
    case changed
    /// Items applied atomically.
    case batchChanged
    /// Items are gone; for a directory, its whole subtree is listed.
    case deleted
    /// The items changed, and the event does not carry them: only the location (an object), the
    /// resource type (where one) and the operation's token.
    case bulkNotice(location: UInt32?, resourceType: ResourceType?, token: UInt64)
    /// Job progress: no items.
    case infrastructure
  }

  package init(
    at: Instant, device: UInt32, position: StreamPosition, kind: Kind, items: Range<Int>,
    bytes: Int, version: Version = .none, origin: EventOrigin? = nil
  ) {
    self.at = at
    self.device = device
    self.position = position
    self.kind = kind
    self.items = items
    self.bytes = bytes
    self.version = version
    self.origin = origin
  }
}

/// What one commit does to one object.
package struct MutationItem: Hashable, Sendable, BitwiseCopyable {
  package var object: UInt32
  /// The new state, as an index of `Catalog.revisions`; `deleted` for none.
  package var revision: UInt32

  package static let deleted = UInt32.max

  package init(object: UInt32, revision: UInt32) {
    self.object = object
    self.revision = revision
  }
}
