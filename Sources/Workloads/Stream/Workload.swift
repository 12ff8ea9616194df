package import CacheModel
package import RecordingCodec

/// All that happens in one run, drawn before any cache is asked.
///
/// Instants and choices do not depend on what a cache answers, so every policy of a comparison faces
/// the same stream (common random numbers). A recorded session is the same value, read from a file.
package struct Workload: Hashable, Sendable {
  package var name: String
  package var seed: UInt64
  package var duration: Duration
  /// The beginning of the run, in which nothing is counted: the cache fills.
  package var warmUp = Duration.zero
  package var library: LibraryID
  /// What types of entity and forms of query there are.
  package var model: DataModel
  package var catalog: Catalog
  /// The queries that sessions ask, numbered; session actions name them by index.
  package var queries: [QuerySpec]
  /// Commits of the server in order of time; each makes one event of its stream.
  package var mutations: [Mutation]
  /// The items of all mutations, in one array; a mutation names a range of it.
  package var items: [MutationItem]
  /// What users change, numbered; session actions name it by index.
  package var writes: [UserWrite] = []
  /// When the server begins a new epoch; filled in where users write, since what they write has its
  /// place in the stream only when it arrives.
  package var restarts: [Instant] = []
  /// What the link does to events of a client's own writes; `nil` if there are no writes.
  package var ownEvents: EventTraffic?
  /// The caches under test, each with its session, its link and its faults.
  package var clients: [ClientScript]
  package var network: NetworkModel
  package var retention: ServerRetention
  /// Whether the server confirms an answer that a client has already, instead of repeating it.
  package var saysNotModified = false
  /// Whether the server pushes its commits; otherwise no event and no heartbeat reaches any client.
  package var pushesEvents = true
  /// Whether the state of the server is known, or only what a client saw of it.
  package var truth = Truth.known
  /// The states that reads returned, in their order, where an app recorded it; with a known truth there is
  /// none.
  package var observedResults: [ObservedRead: [UInt32]] = [:]
  /// What the cache of the app made of its reads, where it recorded that.
  package var recordedOutcomes: [ObservedRead: RecordedOutcome] = [:]
  /// The positions of states in lists `as-shown`, in order of time; `nil` if only results show them.
  package var places: [ListedPlace]?
  /// What an app could not record; figures of what follows may not be the app's.
  package var gaps: [RecordingGap] = []

  /// The policy whose requests the recorded answers belong to; `nil` if none are recorded.
  package var answeredPolicy: String?

  package init(
    name: String, seed: UInt64, duration: Duration, library: LibraryID, model: DataModel,
    catalog: Catalog, queries: [QuerySpec], mutations: [Mutation], items: [MutationItem],
    clients: [ClientScript], network: NetworkModel, retention: ServerRetention
  ) {
    self.name = name
    self.seed = seed
    self.duration = duration
    self.library = library
    self.model = model
    self.catalog = catalog
    self.queries = queries
    self.mutations = mutations
    self.items = items
    self.clients = clients
    self.network = network
    self.retention = retention
  }

  /// The place of each query's class among those of the model.
  package var classOfQuery: [Int] {
    let classes = model.classes
    return queries.map { query in
      model.shape(of: query.kind).flatMap { classes.firstIndex(of: $0.reportClass) } ?? 0
    }
  }
}

/// One commit of the server, with its event.
package struct Mutation: Hashable, Sendable {
  package var at: Instant
  /// The device that asked for it.
  package var device: UInt32
  package var position: StreamPosition
  /// Whether it has that position in the stream; otherwise it has the position of the one before it.
  ///
  /// Only a recording has mutations without one: an app receives some events without a position, and sees states
  /// that no event brought.
  package var isPlaced = true
  package var kind: Kind
  /// A range of `Workload.items`.
  package var items: Range<Int>
  /// The size of the event as sent, in bytes: envelope and items.
  package var bytes: Int
  /// The version of a deletion, later than that of every state it ends; `.none` for other kinds, whose
  /// items bring their own.
  package var version: Version
  /// The origin of a batch; `nil` if it is not a batch, or unknown.
  package var origin: EventOrigin?
  /// What the event carries of each new state.
  package var carries = EventContents.whole
  /// The write of a user's (`Workload.writes`) that other clients hear of by it, at the instant at which
  /// it would reach the server without anything in its way; `nil` for what others do.
  ///
  /// In the run of the client that makes it, it happens when it arrives instead.
  package var write: UInt32?
  /// When the old state was seen last, where an app knows only that it happened after this, and no later than
  /// `at`; `nil`: it happened at `at`.
  package var since: Instant?
  /// The client whose write it was, if the answer to that named it; `nil`: unknown.
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

/// How long a request takes, drawn from its own number: the n-th request of a client takes the same
/// time under every policy.
package struct NetworkModel: Sendable, Hashable {
  /// Every request takes at least this long, there and back, in nanoseconds.
  package var minimumRoundTrip: Int64
  /// The mean of the exponentially distributed rest, in nanoseconds.
  package var meanExtra: Int64
  /// Bytes per second in each direction; `nil`: no limit.
  ///
  /// What is sent takes its turn: responses and events share the way to the client, requests have
  /// the way to the server.
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

/// Where a workload comes from.
package enum Truth: String, Hashable, Sendable, CaseIterable {
  /// Every state of the server is in the workload: staleness and consistency can be judged.
  case known
  /// An app recorded what it saw. Fetches are answered from the recorded results, and whatever needs
  /// the server's own state stays empty.
  case observed
}

/// Names one read of a workload: a client, and an action of its script.
package struct ObservedRead: Hashable, Sendable {
  package var client: Int
  package var action: Int

  package init(client: Int, action: Int) {
    self.client = client
    self.action = action
  }
}
