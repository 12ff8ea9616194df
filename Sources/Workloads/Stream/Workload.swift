package import CacheModel
package import RecordingCodec

/// The traffic of one run, generated before any cache is involved.
///
/// Times and choices do not depend on a cache's answers, so every policy of a comparison gets the same stream
/// (common random numbers). A recorded session is the same type, read from a file.
package struct Workload: Hashable, Sendable {
  package var name: String
  package var seed: UInt64
  package var duration: Duration
  /// The initial part of the run that is not counted, while the cache fills.
  package var warmUp = Duration.zero
  package var library: LibraryID
  /// The entity types and query shapes.
  package var model: DataModel
  package var catalog: Catalog
  /// The queries of sessions, numbered; session actions refer to them by index.
  package var queries: [QuerySpec]
  /// The server's commits in order of time; each creates one event of its stream.
  package var mutations: [Mutation]
  /// The items of all mutations, in one array; a mutation has a range of it.
  package var items: [MutationItem]
  /// The writes of users, numbered; session actions refer to them by index.
  package var writes: [UserWrite] = []
  /// The times at which the server begins a new epoch; set if users write, since the stream position of their
  /// writes is known only on arrival.
  package var restarts: [Instant] = []
  /// The delivery of events of a client's own writes; `nil` without writes.
  package var ownEvents: EventTraffic?
  /// The caches under test, each with its session, its link and its faults.
  package var clients: [ClientScript]
  package var network: NetworkModel
  package var retention: ServerRetention
  /// Whether the server confirms an unchanged answer instead of repeating it.
  package var saysNotModified = false
  /// Whether the server pushes its commits; otherwise no event and no heartbeat reaches any client.
  package var pushesEvents = true
  /// Whether the server's state is known, or only what a client saw of it.
  package var truth = Truth.known
  /// The states returned by reads, in order, if an app recorded them; none with a known ground truth.
  package var observedResults: [ObservedRead: [UInt32]] = [:]
  /// The outcomes of reads in the app's own cache, if recorded.
  package var recordedOutcomes: [ObservedRead: RecordedOutcome] = [:]
  /// The positions of states in lists `as-shown`, in order of time; `nil` if only results show them.
  package var places: [ListedPlace]?
  /// Operations that an app could not record; later figures may differ from the app's.
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

  /// The index of each query's class among those of the model.
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
  package var device: UInt32
  package var position: StreamPosition
  /// Whether it has its own position in the stream; otherwise it has that of the previous one.
  ///
  /// Only a recording has mutations without a position: an app receives some events without one, and sees
  /// states that no event brought.
  package var isPlaced = true
  package var kind: Kind
  /// A range of `Workload.items`.
  package var items: Range<Int>
  /// The size of the event in bytes: envelope and items.
  package var bytes: Int
  /// The version of a deletion, later than that of every state it ends; `.none` for other kinds, whose items
  /// have their own.
  package var version: Version
  /// The origin of a batch; `nil` if it is not a batch, or unknown.
  package var origin: EventOrigin?
  /// The contents of the event for each new state.
  package var carries = EventContents.whole
  /// The user's write (`Workload.writes`) that other clients receive by this event, at the time at which it
  /// would reach the server without a cache; `nil` for changes of others.
  ///
  /// In the run of the client that makes it, it commits on arrival instead.
  package var write: UInt32?
  /// The last sighting of the old state, if an app only knows that the change happened after it and no later
  /// than `at`; `nil`: it happened at `at`.
  package var since: Instant?
  /// The client that made the write, if its answer said so; `nil`: unknown.
  package var author: UInt32?

  package enum Kind: Sendable, Hashable {
    /// One item.
    case changed
    /// Items applied atomically.
    case batchChanged
    /// Items are deleted; for a directory, its whole subtree is listed.
    case deleted
    /// The items changed, but the event only has the location (an object), the resource type (if one) and the
    /// operation's token.
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

/// The duration of requests, drawn from their numbers: the n-th request of a client takes the same time under
/// every policy.
package struct NetworkModel: Sendable, Hashable {
  /// The minimum round trip, in nanoseconds.
  package var minimumRoundTrip: Int64
  /// The mean of the additional, exponentially distributed time, in nanoseconds.
  package var meanExtra: Int64
  /// The bandwidth in bytes per second of each direction; `nil`: unlimited.
  ///
  /// Transfers are queued: responses and events share the direction to the client, requests have the
  /// direction to the server.
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
  /// The maximum number of events kept for replay.
  package var events: Int
  /// The maximum age of events kept for replay.
  package var age: Duration

  package init(events: Int, age: Duration) {
    self.events = events
    self.age = age
  }
}

package enum Truth: String, Hashable, Sendable, CaseIterable {
  /// The workload contains every state of the server: staleness and consistency can be judged.
  case known
  /// An app recorded what it saw. Fetches are answered from recorded results, and figures that need the
  /// server's own state are empty.
  case observed
}

/// Identifies one read of a workload: a client, and an action of its script.
package struct ObservedRead: Hashable, Sendable {
  package var client: Int
  package var action: Int

  package init(client: Int, action: Int) {
    self.client = client
    self.action = action
  }
}
