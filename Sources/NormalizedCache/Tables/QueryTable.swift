import CacheModel
import EvictionPolicies

/// One cached query.
struct QueryRecord<Predicate: Sendable>: Sendable {
  var key: QueryKey
  /// False for a place in the table that waits to be used again.
  var isInUse = true
  var plan: QueryPlan<Predicate>
  /// The store's index of the query's library.
  var library: Int16
  /// The members in the server's order, duplicates included. Meaningless until `hasResult`.
  var members: [Slot] = []
  var hasResult = false
  /// Whether the server has rows beyond the last member.
  var hasMore = false
  /// How many members have no value, repetitions counted.
  var missing = 0
  var observers = 0
  /// Whether this query's listings hold their entities back from eviction.
  var retainsMembers = false

  /// When the result was fetched, and for how long it is fresh, in nanoseconds.
  var fetchedAt: Int64 = 0
  var lifetime: Int64
  /// Where in the stream the result was read.
  var position: StreamPosition?
  /// The number of the library's last verification when the result was fetched.
  var verification: UInt32 = 0

  /// Whether something happened that the result may not show.
  var isMarkedStale = false
  /// The place in the stream of what made it stale; a response read there or later covers it. `nil`:
  /// only a fetch begun afterwards does.
  var staleSince: StreamPosition?
  /// Counts the times that the result was marked stale with no place to compare by.
  var unplacedInvalidations: UInt32 = 0
  var fetch: FetchID?
  /// Why there is no result, while there is none.
  var missCause: ReadOutcome = .missCold
  var unplacedInvalidationsAtFetch: UInt32 = 0
  /// The commit that last touched the rows, so that one commit notifies once.
  var touchedInCommit: UInt64 = 0

  var isObserved: Bool { observers > 0 }

  func hasExpired(at now: Instant) -> Bool {
    lifetime != .max && now.nanoseconds - fetchedAt >= lifetime
  }
}

/// Cached queries by key, by scope and by recency.
struct QueryTable<Predicate: Sendable>: ~Copyable {
  private var indexOfKey: [QueryKey: Int32] = [:]
  private var records: [QueryRecord<Predicate>] = []
  private var free: [Int32] = []
  /// Queries by scope. An event looks here for lists that its entity may enter.
  private var inScope: [LibraryScope: [Int32]] = [:]
  /// Queries that nobody observes, least recently read first.
  private var unobserved = SlotList()
  private(set) var observed: [Int32] = []

  private struct LibraryScope: Hashable {
    var library: Int16
    var scope: QueryScope
  }

  init() {}

  var count: Int { indexOfKey.count }

  /// The unobserved query that was read longest ago.
  var leastRecentlyRead: Int32? { unobserved.oldest }

  func index(of key: QueryKey) -> Int32? { indexOfKey[key] }

  subscript(index: Int32) -> QueryRecord<Predicate> {
    _read { yield records[Int(index)] }
    _modify { yield &records[Int(index)] }
  }

  /// The queries that stand in a scope of one library.
  func inScope(_ scope: QueryScope, library: Int16) -> [Int32] {
    inScope[LibraryScope(library: library, scope: scope)] ?? []
  }

  /// The queries in use, in index order; O(places in the table).
  var indices: [Int32] {
    records.indices.filter { records[$0].isInUse }.map { Int32($0) }
  }

  mutating func insert(_ record: QueryRecord<Predicate>) -> Int32 {
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
    inScope[LibraryScope(library: record.library, scope: record.plan.scope), default: []]
      .append(index)
    unobserved.pushYoung(index)
    return index
  }

  mutating func remove(_ index: Int32) {
    let record = records[Int(index)]
    indexOfKey[record.key] = nil
    let place = LibraryScope(library: record.library, scope: record.plan.scope)
    inScope[place]?.removeAll { $0 == index }
    if inScope[place]?.isEmpty == true { inScope[place] = nil }
    if record.isObserved { observed.removeAll { $0 == index } } else { unobserved.remove(index) }
    records[Int(index)].isInUse = false
    records[Int(index)].members = []
    free.append(index)
  }

  mutating func touch(_ index: Int32) {
    if !records[Int(index)].isObserved { unobserved.moveToYoung(index) }
  }

  /// Counts one more observer; returns whether it is the first.
  mutating func addObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers += 1
    guard records[Int(index)].observers == 1 else { return false }
    unobserved.remove(index)
    observed.append(index)
    return true
  }

  /// Counts one observer less; returns whether it was the last.
  mutating func removeObserver(_ index: Int32) -> Bool {
    records[Int(index)].observers -= 1
    guard records[Int(index)].observers == 0 else { return false }
    observed.removeAll { $0 == index }
    unobserved.pushYoung(index)
    return true
  }
}
