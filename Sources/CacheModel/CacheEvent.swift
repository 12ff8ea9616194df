/// One entity in an event or a response.
public struct VersionedEntity<Payload: Sendable>: Sendable {
  public var key: EntityKey
  public var version: Version
  public var payload: Payload

  @inlinable public init(key: EntityKey, version: Version, payload: Payload) {
    self.key = key
    self.version = version
    self.payload = payload
  }
}

/// Identified by its key, for lists of views.
extension VersionedEntity: Identifiable {
  @inlinable public var id: EntityKey { key }
}

extension VersionedEntity: Equatable where Payload: Equatable {}
extension VersionedEntity: Hashable where Payload: Hashable {}

/// A change, as the server reports it.
public enum CacheEvent<Payload: Sendable>: Sendable {
  /// One whole entity, created or changed.
  case changed(VersionedEntity<Payload>)
  /// Many whole entities at once, applied atomically.
  case batchChanged([VersionedEntity<Payload>])
  /// Entities that are gone: one, or a whole subtree.
  case deleted([EntityKey], version: Version)
  /// A change of too many items to send: everything in the scope is stale.
  ///
  /// `token` names the operation; a repeated token has no effect.
  case bulkNotice(scope: InvalidationTag, count: Int, token: UInt64)
  /// Several entities, and items with missing values: undecodable, or not sent.
  ///
  /// A missing value affects only the lists that may contain it, which become stale; the others are applied
  /// as one batch.
  case partlyDecoded([VersionedEntity<Payload>], undecodable: [UndecodableItem])
  /// Job progress and the like; no query is affected.
  case infrastructure
}

/// An item of an event whose value is missing.
public struct UndecodableItem: Hashable, Sendable {
  public var type: ResourceType
  /// The identifier; `nil`: it may be any entity of its type.
  public var id: UniqueID?
  /// Whether lists without the entity may contain it now.
  ///
  /// An undecodable value could not be shown in them either. A value that was not sent can be fetched, so
  /// every list of its type becomes stale, unless the policy leaves lists unchanged.
  public var mayEnterLists: Bool

  public init(type: ResourceType, id: UniqueID?, mayEnterLists: Bool = false) {
    self.type = type
    self.id = id
    self.mayEnterLists = mayEnterLists
  }
}

/// Identifies one write of a client: while it is pending, when it is sent again, and in the event that
/// confirms it.
///
/// The server applies each token once.
public struct MutationToken: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: UniqueID

  public init(rawValue: UniqueID) {
    self.rawValue = rawValue
  }

  public static func < (lhs: MutationToken, rhs: MutationToken) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}

/// The position of an event, or of a read, in a stream.
public struct EventPlace: Hashable, Sendable {
  public var stream: StreamID
  public var position: StreamPosition
  /// The sequence of the event before this one in a filtered subscription; `nil`: one less than its own.
  public var previous: UInt64?

  public init(stream: StreamID, position: StreamPosition, previous: UInt64? = nil) {
    self.stream = stream
    self.position = position
    self.previous = previous
  }
}

extension EventPlace {
  /// The sequence number that must have been applied before this one: 0 before the first.
  @inlinable public var sequenceBefore: UInt64 {
    previous ?? (position.sequence > 0 ? position.sequence - 1 : 0)
  }
}

/// An event with its stream position.
public struct EventEnvelope<Payload: Sendable>: Sendable {
  /// The stream position; `nil` for events without a sequence number, which are applied without gap
  /// detection.
  public var place: Place?
  public var event: CacheEvent<Payload>
  /// The client's write that caused this event; `nil` if the server does not say.
  ///
  /// A pending write ends when its event arrives, so that nothing is shown twice.
  public var mutation: MutationToken?
  /// The server's keys of entities that this write created under the client's own keys.
  ///
  /// Without them, other pending writes to these entities are shown again only after the write's response,
  /// which has the keys.
  public var keys: [EntityKey: EntityKey]
  /// The origin of a batch; `nil` if the server does not say, or the event is not a batch.
  public var origin: EventOrigin?

  public typealias Place = EventPlace

  @inlinable public init(
    place: Place?, event: CacheEvent<Payload>, mutation: MutationToken? = nil,
    keys: [EntityKey: EntityKey] = [:], origin: EventOrigin? = nil
  ) {
    self.place = place
    self.event = event
    self.mutation = mutation
    self.keys = keys
    self.origin = origin
  }
}

/// How much an event contains of a new or changed entity.
package enum EventContents: String, Hashable, Sendable, CaseIterable {
  case whole
  /// All fields of a new entity, otherwise the changed fields.
  case changes
  /// The identifier without a value, which can be fetched.
  case ids
}

/// Selects data to invalidate: every field that is given must match.
public struct InvalidationTag: Hashable, Sendable {
  public var library: LibraryID
  /// A location (a directory tree) of the library.
  public var location: UniqueID?
  public var resourceType: ResourceType?
  public var method: QueryMethod?

  public init(
    library: LibraryID, location: UniqueID? = nil, resourceType: ResourceType? = nil,
    method: QueryMethod? = nil
  ) {
    self.library = library
    self.location = location
    self.resourceType = resourceType
    self.method = method
  }
}

/// A stream of events of one library from one source.
public struct StreamID: Hashable, Sendable {
  public var library: LibraryID
  /// The number of the source; 0 if there is only one.
  public var source: UInt32

  public init(library: LibraryID, source: UInt32 = 0) {
    self.library = library
    self.source = source
  }
}

/// A position in a stream, ordered by epoch, then sequence.
///
/// A restarted source begins a new epoch. Sequence numbers of different epochs cannot be compared, so a
/// client that followed the old one must resynchronise.
public struct StreamPosition: Hashable, Comparable, Sendable {
  /// A stream begins in epoch 1.
  public var epoch: UInt32
  /// The sequence number of the last event included; the first event of an epoch has number 1.
  public var sequence: UInt64

  public init(epoch: UInt32, sequence: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  public static func < (lhs: StreamPosition, rhs: StreamPosition) -> Bool {
    lhs.epoch != rhs.epoch ? lhs.epoch < rhs.epoch : lhs.sequence < rhs.sequence
  }
}

/// The version of a value: a hybrid logical clock.
///
/// Milliseconds and a counter in one word, then the device, which breaks ties identically on every machine.
/// Source: Kulkarni et al., "Logical Physical Clocks", OPODIS 2014.
public struct Version: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// 48 bits of milliseconds, then 16 bits of a counter.
  public var clock: UInt64
  /// The identifier of the writing device, otherwise opaque.
  public var device: UInt64

  public init(clock: UInt64, device: UInt64) {
    self.clock = clock
    self.device = device
  }

  public init(milliseconds: UInt64, counter: UInt16, device: UInt64) {
    self.init(clock: milliseconds << 16 | UInt64(counter), device: device)
  }

  /// Older than every version that a device can write.
  public static let none = Version(clock: 0, device: 0)

  public var milliseconds: UInt64 { clock >> 16 }

  public static func < (lhs: Version, rhs: Version) -> Bool {
    lhs.clock != rhs.clock ? lhs.clock < rhs.clock : lhs.device < rhs.device
  }
}
