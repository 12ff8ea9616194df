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
  /// What the link does to events of a client's own writes; `nil` where there are no writes.
  package var ownEvents: EventTraffic?
  /// The caches under test, each with its session, its link and its faults.
  package var clients: [ClientScript]
  package var network: NetworkModel
  package var retention: ServerRetention
  /// Whether the server confirms an answer that a client has already, instead of repeating it.
  package var saysNotModified = false
  /// Whether the server tells of its commits; else no event and no heartbeat reaches any client.
  package var pushesEvents = true
  /// Whether the state of the server is known, or only what a client saw of it.
  package var truth = Truth.known
  /// The states that reads returned, in their order, where an app recorded it; with a known truth there is
  /// none.
  package var observedResults: [ObservedRead: [UInt32]] = [:]
  /// What the cache of the app made of its reads, where it recorded that.
  package var recordedOutcomes: [ObservedRead: RecordedOutcome] = [:]
  /// Where states stand in lists `as-shown`, in order of time; `nil` where only results tell.
  package var places: [ListedPlace]?
  /// What an app could not record; figures of what follows may not be the app's.
  package var gaps: [RecordingGap] = []

  /// The policy whose requests the recorded answers belong to; `nil` where none are recorded.
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
