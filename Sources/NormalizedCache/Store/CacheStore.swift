public import CacheModel
import DequeModule
import EvictionPolicies
import HeapModule

/// The cache that decides: events and reads in, actions out; no clock, no waiting, no input or output.
///
/// Two levels: entities by key, and queries as ordered lists of entities, with a reverse index from
/// entity to queries. What to do is returned as ``CacheAction`` values by ``takeActions()``, which a
/// shell carries out: the ``NormalizedCache`` actor for an app, the simulator for an experiment. The
/// same calls with the same arguments give the same actions.
///
/// Every mutating call is one *commit*: a reader between two calls sees all of it or nothing, and a
/// query whose rows it changed is notified once.
///
/// Costs: a read is O(rows); an event item is O(queries that list the entity, or stand in a scope of
/// it), plus O(log rows) comparisons and O(rows) moves for each list that it enters or leaves.
public struct CacheStore<Schema: CacheSchema>: ~Copyable {
  public typealias Payload = Schema.Payload

  public let composition: PolicyComposition
  public let schema: Schema
  public internal(set) var statistics = CacheStatistics()

  var entities = EntityTable<Payload>()
  var listings = ListingTable()
  var queries = QueryTable<Schema.Predicate>()
  let order: any EvictionOrder
  let limits: CapacityLimits
  /// For how long a single entity is fresh after it was written, in nanoseconds.
  let entityLifetime: Int64

  var libraries: [LibraryState] = []
  var streams: [StreamState<Payload>] = []
  var departed: DepartedQueries
  var tombstones: Deque<Tombstone> = []
  var expiries = Heap<Expiry>()

  var fetches: [FetchID: Fetch] = [:]
  var fetchOfTarget: [FetchTarget: FetchID] = [:]
  var lastNumber: UInt64 = 0
  /// What changed while fetches are in flight, so that a response that was read before can be
  /// brought up to date. Empty while none is.
  var recentChanges = RecentChanges<Payload>()

  var now = Instant.zero
  /// The number of the current commit.
  var commit: UInt64 = 0
  /// Queries whose rows the current commit changed.
  var touched: [Int32] = []
  /// Observed queries that became stale and want a fetch.
  var wantingFetch: [Int32] = []
  var actions: [CacheAction] = []
  var hitEntries: [EvictionEntry] = []

  /// Makes an empty cache.
  ///
  /// - Parameter seed: for eviction orders that draw.
  /// - Throws: ``CompositionError`` where the composition cannot be carried out.
  public init(
    composition: PolicyComposition, schema: Schema, seed: UInt64 = 0
  ) throws(CompositionError) {
    try composition.validate()
    guard let policy = EvictionPolicies.named(composition.evictionOrder) else {
      throw .unknownEvictionOrder(composition.evictionOrder)
    }
    self.composition = composition
    self.schema = schema
    order = policy.makeOrder(
      composition.capacity.entities, RandomSource(seed: seed).substream("eviction-order"))
    limits = CapacityLimits(composition.capacity)
    entityLifetime = composition.freshness.timeToLive?.wholeNanoseconds ?? .max
    departed = DepartedQueries(limit: StoreLimits.departedQueries)
  }

  public var residentEntities: Int { entities.residentCount }
  /// Bytes of weight, as the schema weighs.
  public var residentWeight: Int { entities.residentWeight }
  public var cachedQueries: Int { queries.count }

  /// Takes the actions that have accumulated since the last call, in order.
  public mutating func takeActions() -> [CacheAction] {
    var taken: [CacheAction] = []
    swap(&taken, &actions)
    return taken
  }

  /// The same into an array that the caller keeps, so that nothing is allocated.
  public mutating func takeActions(into taken: inout [CacheAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }

  /// When ``advance(to:)`` should be called at the latest; `nil`: no need.
  public var nextDeadline: Instant? {
    streams.lazy.compactMap(\.deadline).min()
  }

  /// Lets time pass: gaps that stayed open too long are reconciled, expired queries let go.
  public mutating func advance(to now: Instant) {
    beginCommit(at: now)
    for index in streams.indices { closeOverdueGap(inStream: index) }
    endCommit()
  }

  mutating func beginCommit(at now: Instant) {
    self.now = max(self.now, now)
    commit += 1
    expireQueries()
  }

  mutating func endCommit() {
    enforceQueryLimit()
    statistics.peakQueries = max(statistics.peakQueries, queries.count)
    for query in wantingFetch {
      let record = queries[query]
      if record.isInUse, record.isObserved, record.fetch == nil { beginFetch(of: query) }
    }
    wantingFetch.removeAll(keepingCapacity: true)
    for query in touched where queries[query].isInUse && queries[query].isObserved {
      actions.append(.notify(queries[query].key))
      statistics.notifications += 1
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Notes that what a query shows changed in this commit.
  mutating func touchRows(of query: Int32) {
    guard queries[query].touchedInCommit != commit else { return }
    queries[query].touchedInCommit = commit
    touched.append(query)
  }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }
}

/// The bounds that every store keeps, whatever its composition.
enum StoreLimits {
  /// Queries of which it is remembered why they left.
  static let departedQueries = 65_536
  /// Deletions remembered, so that older writes stay dead.
  static let tombstones = 16_384
  /// Changes remembered while fetches are in flight.
  static let recentChanges = 8_192
  /// Events held back behind a gap.
  static let waitingEvents = 1_024
  /// Partial invalidations remembered for single entities.
  static let notices = 32
  /// Bulk operations remembered, so that one marks once.
  static let bulkTokens = 256
}

/// When a query's result expires; the earliest first, ties by index.
struct Expiry: Comparable {
  var at: Int64
  var query: Int32

  static func < (lhs: Expiry, rhs: Expiry) -> Bool {
    lhs.at != rhs.at ? lhs.at < rhs.at : lhs.query < rhs.query
  }
}

struct Tombstone {
  var slot: Int32
  var version: Version
}

/// Why queries that are no longer cached are not, for a bounded number of them, oldest forgotten
/// first.
struct DepartedQueries {
  private var causes: [QueryKey: ReadOutcome] = [:]
  private var order: Deque<QueryKey> = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  mutating func note(_ key: QueryKey, cause: ReadOutcome) {
    if causes.updateValue(cause, forKey: key) == nil {
      order.append(key)
      if order.count > limit, let oldest = order.popFirst() { causes[oldest] = nil }
    }
  }

  func cause(of key: QueryKey) -> ReadOutcome { causes[key] ?? .missCold }
}
