package import CacheModel

/// All that happens in one run, drawn before any cache is asked.
///
/// Instants and choices do not depend on what a cache answers, so every policy of a comparison faces
/// the same stream (common random numbers). A recorded session is the same value, read from a file.
package struct Workload: Sendable {
  package var name: String
  package var seed: UInt64
  package var duration: Duration
  package var library: LibraryID
  package var catalog: Catalog
  /// The queries that sessions ask, numbered; session actions name them by index.
  package var queries: [QuerySpec]
  /// Commits of the server in order of time; each makes one event of its stream.
  package var mutations: [Mutation]
  /// The items of all mutations, in one array; a mutation names a range of it.
  package var items: [MutationItem]
  /// The caches under test, each with its session, its link and its faults.
  package var clients: [ClientScript]
  package var network: NetworkModel
  package var retention: ServerRetention

  package init(
    name: String, seed: UInt64, duration: Duration, library: LibraryID, catalog: Catalog,
    queries: [QuerySpec], mutations: [Mutation], items: [MutationItem], clients: [ClientScript],
    network: NetworkModel, retention: ServerRetention
  ) {
    self.name = name
    self.seed = seed
    self.duration = duration
    self.library = library
    self.catalog = catalog
    self.queries = queries
    self.mutations = mutations
    self.items = items
    self.clients = clients
    self.network = network
    self.retention = retention
  }
}

/// Every object that exists during a run, and every state that it passes through.
///
/// Flat columns over dense indices: an object is a number, a state of it is a number, and the order
/// of revisions is the order in which the server commits them.
package struct Catalog: Sendable {
  package var objects: [EntityKey]
  package var revisions: [Revision]
  /// The first `initialCount` revisions are the state at time zero, one for each object that exists
  /// then.
  package var initialCount: Int
  /// The labels (album and tag objects) of all revisions; a revision names a range of it.
  package var labels: [UInt32]

  package init(
    objects: [EntityKey], revisions: [Revision], initialCount: Int, labels: [UInt32]
  ) {
    self.objects = objects
    self.revisions = revisions
    self.initialCount = initialCount
    self.labels = labels
  }

  package func labels(of revision: Revision) -> ArraySlice<UInt32> {
    labels[Int(revision.labelStart)..<Int(revision.labelStart) + Int(revision.labelCount)]
  }
}

/// One state of one object.
package struct Revision: Sendable, BitwiseCopyable {
  /// The object, as an index of `Catalog.objects`.
  package var object: UInt32
  package var version: Version
  /// The directory that holds it, as an object; `noObject` at the root.
  package var parent: UInt32
  /// The location (a tree of directories) that holds it, as an object; `noObject` for none.
  package var location: UInt32
  /// The name as up to twelve letters of five bits, first letter highest: order of numbers is order
  /// of names, and a prefix is a range.
  package var name: UInt64
  /// When the content last changed, in milliseconds of the run's own calendar (may be negative).
  package var modified: Int64
  /// Whether the file is an image or a film: what the media view lists.
  package var isMedia: Bool
  /// The size of the object as compact JSON, in bytes.
  package var bytes: Int32
  package var labelStart: UInt32
  package var labelCount: UInt32

  package static let noObject = UInt32.max

  package init(
    object: UInt32, version: Version, parent: UInt32, location: UInt32, name: UInt64,
    modified: Int64, isMedia: Bool, bytes: Int32, labelStart: UInt32, labelCount: UInt32
  ) {
    self.object = object
    self.version = version
    self.parent = parent
    self.location = location
    self.name = name
    self.modified = modified
    self.isMedia = isMedia
    self.bytes = bytes
    self.labelStart = labelStart
    self.labelCount = labelCount
  }
}

/// One commit of the server, and the event that tells of it.
package struct Mutation: Sendable {
  package var at: Instant
  /// The device that asked for it.
  package var device: UInt32
  package var position: StreamPosition
  package var kind: Kind
  /// A range of `Workload.items`.
  package var items: Range<Int>
  /// The size of the event as sent, in bytes: envelope and items.
  package var bytes: Int

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
    at: Instant, device: UInt32, position: StreamPosition, kind: Kind, items: Range<Int>, bytes: Int
  ) {
    self.at = at
    self.device = device
    self.position = position
    self.kind = kind
    self.items = items
    self.bytes = bytes
  }
}

/// What one commit does to one object.
package struct MutationItem: Sendable, BitwiseCopyable {
  package var object: UInt32
  /// The new state, as an index of `Catalog.revisions`; `deleted` for none.
  package var revision: UInt32

  package static let deleted = UInt32.max

  package init(object: UInt32, revision: UInt32) {
    self.object = object
    self.revision = revision
  }
}

/// A cache under test: what its user does, and what its link delivers.
package struct ClientScript: Sendable {
  package var name: String
  /// What the user does, in order of time.
  package var actions: [SessionAction]
  /// What the link delivers, in order of arrival: losses are absent, duplicates occur twice.
  package var deliveries: [Delivery]
  /// When the link is down: nothing is delivered and requests fail. In order, disjoint, half open.
  package var partitions: [Range<Instant>]

  package init(
    name: String, actions: [SessionAction], deliveries: [Delivery],
    partitions: [Range<Instant>]
  ) {
    self.name = name
    self.actions = actions
    self.deliveries = deliveries
    self.partitions = partitions
  }
}

package struct SessionAction: Sendable {
  package var at: Instant
  package var kind: Kind

  package enum Kind: Sendable, Hashable {
    /// Asks a query once (`Workload.queries`).
    case read(query: UInt32)
    /// Asks a query and goes on watching it: a view on screen.
    case observe(query: UInt32)
    /// The view is gone.
    case unobserve(query: UInt32)
    /// Asks for one entity by key (an inspector), as an object.
    case open(object: UInt32)
  }

  package init(at: Instant, kind: Kind) {
    self.at = at
    self.kind = kind
  }
}

package struct Delivery: Sendable {
  package var at: Instant
  package var content: Content

  package enum Content: Sendable, Hashable {
    /// The event of a mutation, as an index of `Workload.mutations`.
    case event(mutation: UInt32)
    /// The server's position at the time of sending.
    case heartbeat(StreamPosition)
  }

  package init(at: Instant, content: Content) {
    self.at = at
    self.content = content
  }
}

/// A query as sessions ask it.
package struct QuerySpec: Sendable, Hashable {
  package var kind: QueryKind
  /// The directory, album or tag object; the name prefix of a search; 0 where neither.
  package var subject: UInt64
  /// The letters of a search prefix; 0 otherwise.
  package var prefixLength: UInt8
  /// The most rows in the result.
  package var limit: UInt32

  package init(kind: QueryKind, subject: UInt64, prefixLength: UInt8 = 0, limit: UInt32) {
    self.kind = kind
    self.subject = subject
    self.prefixLength = prefixLength
    self.limit = limit
  }

  /// A search of fewer than three letters is answered by the server every time.
  package var isCacheable: Bool { kind != .search || prefixLength >= 3 }
}

/// What a query lists, and in which order. The raw value is the query's method number.
package enum QueryKind: UInt16, Sendable, Hashable, CaseIterable {
  /// The files and directories in a directory, by name, then key.
  case directory = 1
  /// The files most recently modified, latest first, then key.
  case recents
  /// All media files of the library, latest first, then key.
  case media
  /// The files in an album, by name, then key.
  case album
  /// The files that carry a tag, by name, then key.
  case tag
  /// All albums, by name, then key.
  case albumList
  /// All tags, by name, then key.
  case tagList
  /// The files whose name begins with a prefix, by name, then key.
  case search

  /// The method's name in scenarios and reports.
  package var methodName: String {
    switch self {
    case .directory: "files.directory"
    case .recents: "files.recents"
    case .media: "files.media"
    case .album: "albums.files"
    case .tag: "tags.files"
    case .albumList: "albums.list"
    case .tagList: "tags.list"
    case .search: "files.search"
    }
  }

  package var method: QueryMethod { QueryMethod(rawValue: rawValue) }

  /// The class under which reports add up reads.
  package var queryClass: QueryClass {
    switch self {
    case .directory, .recents, .media: .file
    case .album, .tag, .albumList, .tagList: .albumTag
    case .search: .search
    }
  }
}

package enum QueryClass: String, Sendable, Hashable, CaseIterable {
  case file
  case albumTag = "album-tag"
  case search
}

/// The kinds of entity in a synthetic library. The raw value is the resource type's number.
package enum EntityKind: UInt16, Sendable, Hashable, CaseIterable {
  case file = 1
  case directory
  case album
  case tag
  case location

  package var resourceType: ResourceType { ResourceType(rawValue: rawValue) }
}

/// How long a request takes, drawn from its own number: the n-th request of a client takes the same
/// time under every policy.
package struct NetworkModel: Sendable, Hashable {
  /// Every request takes at least this long, there and back, in nanoseconds.
  package var minimumRoundTrip: Int64
  /// The mean of the exponentially distributed rest, in nanoseconds.
  package var meanExtra: Int64
  /// Bytes of response per second; `nil`: no limit.
  package var bytesPerSecond: Int?
  package var seed: UInt64

  package init(minimumRoundTrip: Int64, meanExtra: Int64, bytesPerSecond: Int?, seed: UInt64) {
    self.minimumRoundTrip = minimumRoundTrip
    self.meanExtra = meanExtra
    self.bytesPerSecond = bytesPerSecond
    self.seed = seed
  }
}

/// How far back the server can replay.
package struct ServerRetention: Sendable, Hashable {
  /// The most events kept for replay.
  package var events: Int
  /// How long an event is kept for replay.
  package var age: Duration

  package init(events: Int, age: Duration) {
    self.events = events
    self.age = age
  }
}
