public import CacheModel
public import DequeModule
public import EvictionPolicies

/// One cached query; the fields used by a change of a row without a move come first, so that they share two
/// or three cache lines.
@usableFromInline struct QueryRecord<Predicate: Sendable>: Sendable {
  @usableFromInline var key: QueryKey
  /// False for a free slot of the table.
  @usableFromInline var isInUse = true
  /// Whether no other query has the same scope.
  @usableFromInline var isAloneInScope = false
  /// Whether the list is exactly what was read at `place`, value for value, except for missing values.
  @usableFromInline var isAsRead = false
  /// Whether rows were missing when observers were last notified.
  @usableFromInline var showsGaps = false
  /// The store's index of the query's library.
  @usableFromInline var library: Int16
  /// The commit that last touched the rows, so that a commit notifies once.
  @usableFromInline var touchedInCommit: UInt64 = 0
  @usableFromInline var observers: Int32 = 0
  /// The shell's number of the query, while it is observed.
  @usableFromInline var observedAs: Int32 = -1
  /// The number of members without a value that the query can show, repetitions included.
  @usableFromInline var missing = 0
  @usableFromInline var plan: QueryPlan<Predicate>
  /// The members in the server's order, duplicates included.
  ///
  /// Meaningless until `hasResult`.
  @usableFromInline var members: [Slot] = []
  @usableFromInline var hasResult = false
  /// Whether the server has rows after the last member.
  @usableFromInline var hasMore = false
  /// The time at which it lost its last observer, in nanoseconds.
  ///
  /// Meaningless unless it is in the release buffer.
  @usableFromInline var releasedAt: Int64 = 0
  @usableFromInline var isTagged = false
  /// Whether this query's listings retain their entities.
  @usableFromInline var retainsMembers = false

  /// The time of the fetch, and the time to live, in nanoseconds.
  @usableFromInline var fetchedAt: Int64 = 0
  @usableFromInline var lifetime: Int64
  /// The time of the last read, or of the last change of its observers, in nanoseconds.
  @usableFromInline var lastReadAt: Int64 = 0
  /// The stream position at which the result was read.
  @usableFromInline var place: StreamPlace?
  /// The number of the library's last verification when the result was fetched.
  @usableFromInline var verification: UInt32 = 0

  /// Whether the result may be outdated.
  @usableFromInline var isMarkedStale = false
  /// The stream position of the change that made it stale; a response read there or later includes it.
  ///
  /// `nil`: only a later fetch does.
  @usableFromInline var staleSince: StreamPlace?
  /// The commit in which that position was received.
  @usableFromInline var staleSinceCommit: UInt64 = 0
  /// The number of invalidations without a stream position.
  @usableFromInline var unplacedInvalidations: UInt32 = 0
  @usableFromInline var fetch: FetchID?
  /// Why there is no result, while there is none.
  @usableFromInline var missCause: ReadOutcome = .missCold
  @usableFromInline var unplacedInvalidationsAtFetch: UInt32 = 0
  /// Whether a notification is due when the coalescing window ends.
  @usableFromInline var isNoticePending = false
  /// The time of the last notification, in nanoseconds; meaningless outside a coalescing window.
  @usableFromInline var notifiedAt: Int64 = 0

  /// Whether the members are in the schema's order, so that bisection finds positions.
  @usableFromInline var isSorted = true
  /// Whether the last answer was older than the change that made the result stale, though requested
  /// afterwards: an immediate retry would change nothing.
  @usableFromInline var awaitsServer = false
  /// The number of consecutive failed fetches, at most 6.
  @usableFromInline var failures = 0
  /// Whether it waits for a retry.
  @usableFromInline var isBackingOff = false
  /// Whether a reader without an observation waits for its fetch, for the release buffer.
  @usableFromInline var isAwaitedByReader = false
  /// The number of reads that its fetch answers, minus one for each observer: positive if another reader
  /// waits for it.
  ///
  /// Each observer reads when it is added. Counted only for a release buffer.
  @usableFromInline var readersBesideObservers: Int32 = 0
  /// Whether its last answer did not fit.
  @usableFromInline var isDeclined = false
  /// Whether it did not fit in the release buffer, and stays until a query leaves that.
  @usableFromInline var awaitsCollection = false

  @inlinable var isObserved: Bool { observers > 0 }

  /// Whether a fetch may begin for its observers, unless one is in flight.
  @inlinable var maySendFetch: Bool { isInUse && isObserved && !awaitsServer && !isBackingOff }

  /// Returns whether the result has been expired for at least a window, in nanoseconds.
  @inlinable func hasExpired(at now: Instant, forAtLeast window: Int64 = 0) -> Bool {
    guard hasResult, lifetime != .max else { return false }
    let age = now.nanoseconds - fetchedAt
    return age >= lifetime && age - lifetime >= window
  }

  @inlinable init(key: QueryKey, plan: QueryPlan<Predicate>, library: Int16, lifetime: Int64) {
    self.key = key
    self.plan = plan
    self.library = library
    self.lifetime = lifetime
  }
}

/// Cached queries by key, by scope and by recency.
@usableFromInline struct QueryTable<Predicate: Sendable>: ~Copyable {
  @usableFromInline var indexOfKey: [QueryKey: Int32] = [:]
  @usableFromInline var records: [QueryRecord<Predicate>] = []
  @usableFromInline var free: [Int32] = []
  /// Queries by scope.
  ///
  /// An event finds here the lists that its entity may enter.
  @usableFromInline var scopes = ScopeTable()
  /// Unobserved queries, least recently used first.
  @usableFromInline var unobserved = SlotList()
  @usableFromInline var observed: [Int32] = []
  @usableFromInline var changes = ChangeLog<QueryKey>()
  /// The removal causes of removed queries.
  @usableFromInline var departed: DepartedQueries
  @usableFromInline var observerCount = 0
  /// The total bytes of the inputs of all keys.
  @usableFromInline var inputBytes = 0

  @inlinable init(rememberingDepartures limit: Int) { departed = DepartedQueries(limit: limit) }

  @inlinable var count: Int { indexOfKey.count }

  /// The number of slots, free ones included.
  @inlinable var placeCount: Int { records.count }

  @inlinable var leastRecentlyUsed: Int32? { unobserved.oldest }

  @inlinable func index(of key: QueryKey) -> Int32? { indexOfKey[key] }

  @inlinable subscript(index: Int32) -> QueryRecord<Predicate> {
    _read { yield records[Int(index)] }
    _modify { yield &records[Int(index)] }
  }

  @inlinable func prefetch(_ index: Int32) { prefetchElement(Int(index), of: records) }

  @inlinable func inScope(_ scope: QueryScope, library: Int16) -> [Int32] {
    scopes.queries(in: LibraryScope(library: library, scope: scope))
  }

  @inlinable @inline(__always) func forEach(
    inScope scope: QueryScope, library: Int16, _ body: (Int32) -> Void
  ) {
    scopes.forEachQuery(in: LibraryScope(library: library, scope: scope), body)
  }

  /// Returns whether a query is the only one in a scope of one library.
  @inlinable @inline(__always) func isOnly(
    _ index: Int32, inScope scope: QueryScope, library: Int16
  ) -> Bool {
    records[Int(index)].isAloneInScope && records[Int(index)].library == library
      && records[Int(index)].plan.scope == scope
  }

  /// Updates, after a query came or left, whether the first of its scope is the only one.
  @inlinable mutating func noteWhetherAlone(in scope: LibraryScope) {
    let queries = scopes.queries(in: scope)
    guard let first = queries.first else { return }
    records[Int(first)].isAloneInScope = queries.count == 1
  }

  /// The queries in use, in index order; O(slots of the table).
  @inlinable var indices: [Int32] {
    records.indices.filter { records[$0].isInUse }.map { Int32($0) }
  }

  @inlinable mutating func insert(_ record: QueryRecord<Predicate>) -> Int32 {
    let index: Int32
    if let reused = free.popLast() {
      index = reused
      records[Int(index)] = record
    } else {
      index = Int32(records.count)
      records.append(record)
      unobserved.reserve(slots: records.count)
    }
    indexOfKey[record.key] = index
    inputBytes += record.key.input.count
    let scope = LibraryScope(library: record.library, scope: record.plan.scope)
    scopes.add(index, to: scope)
    noteWhetherAlone(in: scope)
    unobserved.pushYoung(index)
    return index
  }

  @inlinable mutating func remove(_ index: Int32, cause: ReadOutcome) {
    let record = records[Int(index)]
    departed.note(record.key, cause: cause)
    indexOfKey[record.key] = nil
    inputBytes -= record.key.input.count
    observerCount -= Int(record.observers)
    let scope = LibraryScope(library: record.library, scope: record.plan.scope)
    scopes.remove(index, from: scope)
    records[Int(index)].isAloneInScope = false
    noteWhetherAlone(in: scope)
    if record.isObserved { observed.removeAll { $0 == index } } else { unobserved.remove(index) }
    records[Int(index)].isInUse = false
    records[Int(index)].members = []
    free.append(index)
    changes.didFree(index, key: record.key)
  }

  @inlinable mutating func touch(_ index: Int32) {
    if !records[Int(index)].isObserved { unobserved.moveToYoung(index) }
  }

  /// Adds an observer, and returns whether it is the first.
  @inlinable mutating func addObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers += 1
    observerCount += 1
    guard records[Int(index)].observers == 1 else { return false }
    unobserved.remove(index)
    observed.append(index)
    return true
  }

  /// Removes an observer, and returns whether it was the last.
  @inlinable mutating func removeObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers -= 1
    observerCount -= 1
    guard records[Int(index)].observers == 0 else { return false }
    observed.removeAll { $0 == index }
    unobserved.pushYoung(index)
    return true
  }
}

/// The removal causes of a bounded number of queries; the oldest is dropped first.
@usableFromInline struct DepartedQueries {
  @usableFromInline var causes: [QueryKey: ReadOutcome] = [:]
  @usableFromInline var order: Deque<QueryKey> = []
  @usableFromInline let limit: Int

  @inlinable init(limit: Int) { self.limit = limit }

  @inlinable mutating func note(_ key: QueryKey, cause: ReadOutcome) {
    if causes.updateValue(cause, forKey: key) == nil {
      order.append(key)
      if order.count > limit, let oldest = order.popFirst() { causes[oldest] = nil }
    }
  }

  @inlinable func cause(of key: QueryKey) -> ReadOutcome { causes[key] ?? .missCold }
}
