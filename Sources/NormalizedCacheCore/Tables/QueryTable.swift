public import CacheModel
public import DequeModule
public import EvictionPolicies

/// One cached query; first what a change of a row touches that stays in its place, so that it lies in
/// two or three lines of the processor's cache.
@usableFromInline struct QueryRecord<Predicate: Sendable>: Sendable {
  @usableFromInline var key: QueryKey
  /// False for a place in the table that waits to be used again.
  @usableFromInline var isInUse = true
  /// Whether no other query stands in its scope.
  @usableFromInline var isAloneInScope = false
  /// Whether the list is exactly what was read at `place`, value for value where it has values.
  @usableFromInline var isAsRead = false
  /// Whether rows were missing when observers were last notified.
  @usableFromInline var showsGaps = false
  /// The store's index of the query's library.
  @usableFromInline var library: Int16
  /// The commit that last touched the rows, so that one commit notifies once.
  @usableFromInline var touchedInCommit: UInt64 = 0
  @usableFromInline var observers: Int32 = 0
  /// The shell's own number of the query, while it is observed.
  @usableFromInline var observedAs: Int32 = -1
  /// How many members have no value that the query can show, repetitions counted.
  @usableFromInline var missing = 0
  @usableFromInline var plan: QueryPlan<Predicate>
  /// The members in the server's order, duplicates included.
  ///
  /// Meaningless until `hasResult`.
  @usableFromInline var members: [Slot] = []
  @usableFromInline var hasResult = false
  /// Whether the server has rows beyond the last member.
  @usableFromInline var hasMore = false
  /// When it lost its last observer, in nanoseconds.
  ///
  /// Meaningless unless it is in the release buffer.
  @usableFromInline var releasedAt: Int64 = 0
  /// Whether the app has laid claim to it.
  @usableFromInline var isTagged = false
  /// Whether this query's listings hold their entities back from eviction.
  @usableFromInline var retainsMembers = false

  /// When the result was fetched, and for how long it is fresh, in nanoseconds.
  @usableFromInline var fetchedAt: Int64 = 0
  @usableFromInline var lifetime: Int64
  /// When it was last read, or its observers last came or went, in nanoseconds.
  @usableFromInline var lastReadAt: Int64 = 0
  /// Where in the stream the result was read.
  @usableFromInline var place: StreamPlace?
  /// The number of the library's last verification when the result was fetched.
  @usableFromInline var verification: UInt32 = 0

  /// Whether something happened that the result may not show.
  @usableFromInline var isMarkedStale = false
  /// The place in the stream of what made it stale; a response read there or later covers it.
  ///
  /// `nil`: only a fetch begun afterwards does.
  @usableFromInline var staleSince: StreamPlace?
  /// The commit in which it learned of that position.
  @usableFromInline var staleSinceCommit: UInt64 = 0
  /// Counts the times that the result was marked stale with no place to compare by.
  @usableFromInline var unplacedInvalidations: UInt32 = 0
  @usableFromInline var fetch: FetchID?
  /// Why there is no result, while there is none.
  @usableFromInline var missCause: ReadOutcome = .missCold
  @usableFromInline var unplacedInvalidationsAtFetch: UInt32 = 0
  /// Whether observers are notified when the coalescing window ends.
  @usableFromInline var isNoticePending = false
  /// When observers were last notified, in nanoseconds; meaningless outside a coalescing window.
  @usableFromInline var notifiedAt: Int64 = 0

  /// Whether the members stand in the schema's order, so that bisection finds a place among them.
  @usableFromInline var isSorted = true
  /// Whether the last answer was older than what made the result stale, though it was asked for
  /// afterwards: asking again at once would change nothing.
  @usableFromInline var awaitsServer = false
  /// How many fetches have come to nothing since the last that did not, 6 at most.
  @usableFromInline var failures = 0
  /// Whether it waits until it is fetched again.
  @usableFromInline var isBackingOff = false
  /// Whether somebody who does not observe it waits for its fetch, which concerns the release buffer.
  @usableFromInline var isAwaitedByReader = false
  /// How many reads its fetch was given to, less one for each observer: more than none where somebody
  /// else waits for it.
  ///
  /// An observer reads when it comes. Counted only where the release buffer asks.
  @usableFromInline var readersBesideObservers: Int32 = 0
  /// Whether there was no space for its last answer.
  @usableFromInline var isDeclined = false
  /// Whether it found no room in the release buffer, and stays until a query leaves that.
  @usableFromInline var awaitsCollection = false

  @inlinable var isObserved: Bool { observers > 0 }

  /// Whether a fetch may begin for its observers, if there is none that they wait for.
  @inlinable var maySendFetch: Bool { isInUse && isObserved && !awaitsServer && !isBackingOff }

  /// Whether the result has been expired for a time, in nanoseconds.
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
  /// An event looks here for lists that its entity may enter.
  @usableFromInline var scopes = ScopeTable()
  /// Unobserved queries, least recently used first.
  @usableFromInline var unobserved = SlotList()
  @usableFromInline var observed: [Int32] = []
  /// What a storage does not have as it is.
  @usableFromInline var changes = ChangeLog<QueryKey>()
  /// Why those that left did.
  @usableFromInline var departed: DepartedQueries
  /// The observers of all queries together.
  @usableFromInline var observerCount = 0
  /// The bytes of the inputs of all keys together.
  @usableFromInline var inputBytes = 0

  @inlinable init(rememberingDepartures limit: Int) { departed = DepartedQueries(limit: limit) }

  @inlinable var count: Int { indexOfKey.count }

  /// How many places there are, free ones included.
  @inlinable var placeCount: Int { records.count }

  /// The unobserved query that was used longest ago.
  @inlinable var leastRecentlyUsed: Int32? { unobserved.oldest }

  @inlinable func index(of key: QueryKey) -> Int32? { indexOfKey[key] }

  @inlinable subscript(index: Int32) -> QueryRecord<Predicate> {
    _read { yield records[Int(index)] }
    _modify { yield &records[Int(index)] }
  }

  /// Asks the processor for what is known of a query.
  @inlinable func prefetch(_ index: Int32) { prefetchElement(Int(index), of: records) }

  /// The queries that stand in a scope of one library.
  @inlinable func inScope(_ scope: QueryScope, library: Int16) -> [Int32] {
    scopes.queries(in: LibraryScope(library: library, scope: scope))
  }

  /// Calls `body` with each of these queries where they lie.
  @inlinable @inline(__always) func forEach(
    inScope scope: QueryScope, library: Int16, _ body: (Int32) -> Void
  ) {
    scopes.forEachQuery(in: LibraryScope(library: library, scope: scope), body)
  }

  /// Whether a query stands in a scope of one library, and no other does.
  @inlinable @inline(__always) func isOnly(
    _ index: Int32, inScope scope: QueryScope, library: Int16
  ) -> Bool {
    records[Int(index)].isAloneInScope && records[Int(index)].library == library
      && records[Int(index)].plan.scope == scope
  }

  /// Notes of the first query of a scope, after one came or left, whether it is the only one.
  @inlinable mutating func noteWhetherAlone(in scope: LibraryScope) {
    let queries = scopes.queries(in: scope)
    guard let first = queries.first else { return }
    records[Int(first)].isAloneInScope = queries.count == 1
  }

  /// The queries in use, in index order; O(places in the table).
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

  /// Takes a query out, and remembers why.
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

  /// Counts one more observer; returns whether it is the first.
  @inlinable mutating func addObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers += 1
    observerCount += 1
    guard records[Int(index)].observers == 1 else { return false }
    unobserved.remove(index)
    observed.append(index)
    return true
  }

  /// Counts one observer less; returns whether it was the last.
  @inlinable mutating func removeObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers -= 1
    observerCount -= 1
    guard records[Int(index)].observers == 0 else { return false }
    observed.removeAll { $0 == index }
    unobserved.pushYoung(index)
    return true
  }
}

/// Why queries that are no longer cached are not, for a bounded number of them, oldest forgotten
/// first.
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
