package import CacheModel
import FoundationEssentials
package import NormalizedCache

extension NormalizedCache<MeasurementSchema> {
  /// Returns a cache with all listings of a library.
  static func filled(
    with library: FileLibrary, clock: any CacheClock
  ) async throws -> NormalizedCache<MeasurementSchema> {
    let cache = try NormalizedCache(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema(),
      source: LibraryServer(library: library), clock: clock)
    for key in library.queryKeys { _ = try await cache.query(key) }
    return cache
  }
}

extension CacheStore {
  /// Fetches a query for the first time.
  mutating func fill(_ key: QueryKey, with response: FetchResponse<Schema.Payload>) {
    guard let fetch = read(key, at: .zero).fetch else {
      preconditionFailure("a query that was never asked is fetched")
    }
    completeFetch(fetch, with: response, at: .zero)
    _ = takeActions()
  }
}

extension CacheStore<MeasurementSchema> {
  /// Returns the same as a store without an actor; every listing has an observer.
  static func filled(with library: FileLibrary) throws -> CacheStore<MeasurementSchema> {
    var store = try CacheStore(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema())
    for (directory, key) in library.queryKeys.enumerated() {
      store.addObserver(of: key, at: .zero)
      store.fill(key, with: library.response(toDirectory: directory))
    }
    return store
  }
}

/// Answers a cache's fetches from a synthetic library, in its state before the first event.
package struct LibraryServer: CacheSource {
  package typealias Change = FileChange

  private let library: FileLibrary
  private let directoryOfQuery: [QueryKey: Int]

  package init(library: FileLibrary) {
    self.library = library
    directoryOfQuery = Dictionary(
      uniqueKeysWithValues: library.queryKeys.enumerated().map { ($1, $0) })
  }

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw MeasurementError.unexpectedRequest("\(request.target)")
    }
    return library.response(toDirectory: directory)
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    // Nothing is lost within one process, so no replay is needed.
    throw MeasurementError.unexpectedRequest("events after \(position)")
  }
}

extension FileLibrary {
  /// Returns a preset with a capacity for the whole library and a lifetime of five minutes.
  ///
  /// - Returns: `nil` if no preset has that name.
  package func composition(preset name: String) -> CachePolicy? {
    Preset.named(name)?.composition(
      .init(
        capacity: Capacity(entities: fileCount), maximumQueries: directories,
        freshness: Freshness(timeToLive: .seconds(300))))
  }

  /// LRU with a capacity for the whole library and a lifetime of five minutes.
  var leastRecentlyUsed: CachePolicy {
    CachePolicy(
      evictionOrder: "lru", capacity: Capacity(entities: fileCount), retention: .cached,
      freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: directories)
  }
}

extension CachePolicy {
  /// A policy without limits, which adds no cost of its own.
  static let unlimited = CachePolicy(
    evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
    maximumQueries: nil)
}

/// The schema of files: one query lists the files of one directory by name.
package struct MeasurementSchema: CacheSchema {
  package typealias Payload = FilePayload
  package typealias Change = FileChange

  /// The parsed input of a listing.
  package enum Predicate: Sendable {
    case directory(UniqueID)
    /// An invalid identifier, whose listing is empty.
    case nothing
  }

  private static let directoryScope: UInt16 = 1

  package init() {}

  package func plan(for query: QueryKey) -> QueryPlan<Predicate> {
    guard query.input.count == 16 else {
      return QueryPlan(
        predicate: .nothing, scope: QueryScope(kind: 0), limit: nil, resourceTypes: [],
        isCacheable: false)
    }
    let directory = UniqueID(bigEndian: query.input)
    return QueryPlan(
      predicate: .directory(directory),
      scope: QueryScope(kind: Self.directoryScope, id: directory), limit: nil,
      resourceTypes: [FileLibrary.fileType])
  }

  package func forEachScope(
    of payload: FilePayload, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    body(QueryScope(kind: Self.directoryScope, id: UniqueID(payload.directoryID)))
  }

  /// Returns the size of the file in JSON, where all fields except the name, the path and the tags have the
  /// same length as in a synthetic library.
  package func weight(of payload: FilePayload) -> Int {
    732 + payload.name.utf8.count + payload.path.path.utf8.count + payload.tagIDs.count * 39
  }

  package func areEqual(_ lhs: FilePayload, _ rhs: FilePayload) -> Bool { lhs == rhs }

  package func belongs(
    _ payload: FilePayload, key: EntityKey, in predicate: Predicate
  ) -> MatchResult {
    switch predicate {
    case .directory(let directory):
      UniqueID(payload.directoryID) == directory ? .member : .notMember
    case .nothing: .notMember
    }
  }

  package func precedes(
    _ lhs: FilePayload, key lhsKey: EntityKey, _ rhs: FilePayload, key rhsKey: EntityKey,
    in predicate: Predicate
  ) -> Bool {
    lhs.name != rhs.name ? lhs.name < rhs.name : lhsKey < rhsKey
  }

  package func location(of payload: FilePayload) -> UniqueID? { UniqueID(payload.locationID) }

  package func applying(_ change: FileChange, to payload: FilePayload) -> FilePayload {
    change.applied(to: payload)
  }
}

extension UniqueID {
  /// - Precondition: the collection has sixteen bytes.
  fileprivate init(bigEndian bytes: some Collection<UInt8>) {
    precondition(bytes.count == 16, "an identifier has sixteen bytes")
    func word(_ part: some Collection<UInt8>) -> UInt64 {
      part.reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(high: word(bytes.prefix(8)), low: word(bytes.dropFirst(8)))
  }
}

/// The reason why a measurement has no result.
package enum MeasurementError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cache requested something from the server that the run does not have.
  case unexpectedRequest(String)
  /// An observer was not notified of events that changed its result.
  case notificationsMissing(lane: String, count: Int, first: Int)
  /// A storage lacks changes of its cache.
  case notStored(storage: String, entities: Int, of: Int)
  /// A full cache takes no memory.
  case nothingCounted

  package var description: String {
    switch self {
    case .unexpectedRequest(let request):
      "the cache asked for \(request), which a measurement never causes; "
        + "use a composition that keeps observed queries"
    case .notificationsMissing(let lane, let count, let first):
      "\(lane): \(count) events changed an observed query without notifying its observers, "
        + "the first is event \(first); use a composition that keeps observed queries, or report a fault of the cache"
    case .notStored(let storage, let entities, let all):
      "the \(storage) storage has the last value of \(entities) of \(all) changed files; "
        + "this is a fault of the cache or of the storage"
    case .nothingCounted:
      "a full cache takes no memory, so nothing was counted; the counter does not serve this process"
    }
  }
}
