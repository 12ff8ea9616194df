import CacheModel
import NormalizedCacheCore
import Workloads

/// What each state of an object means to the queries that declare no order: whether they list it, and where,
/// as the log of an app has it.
///
/// A client that patches such a list right knows the app's own order and filter; a cache that is
/// simulated has no other source for them than what the log says and shows, later on too. So that is
/// merged beforehand, and a cache looks up in O(1) where a state belongs.
struct ShownLists: Sendable {
  /// The lists by query; looked up, never iterated.
  private var listOfQuery: [QuerySpec: Int32] = [:]
  private var lists: [ShownList] = []
  /// For each state the lists that it stands in: those from its first to the next one's; empty where
  /// there are no lists at all.
  private var firstListing: [Int] = []
  private var listings: [Int32] = []

  /// The list of a query that no read shows.
  static let none: Int32 = -1

  init(of workload: Workload) {
    for query in workload.queries
    where workload.model.shape(of: query.kind)?.isAsShown == true && listOfQuery[query] == nil {
      listOfQuery[query] = Int32(listOfQuery.count)
    }
    guard !listOfQuery.isEmpty else { return }
    lists = ListMerge.all(of: workload, listOfQuery, count: listOfQuery.count)
    collectListings(stateCount: workload.catalog.revisions.count)
  }

  private mutating func collectListings(stateCount: Int) {
    var counts = [Int](repeating: 0, count: stateCount)
    for list in lists { for state in list.states { counts[Int(state)] += 1 } }
    firstListing = [0]
    for count in counts { firstListing.append(firstListing[firstListing.count - 1] + count) }
    listings = [Int32](repeating: Self.none, count: firstListing[stateCount])
    var next = firstListing
    for (number, list) in lists.enumerated() {
      for state in list.states {
        listings[next[Int(state)]] = Int32(number)
        next[Int(state)] += 1
      }
    }
  }

  func list(of spec: QuerySpec) -> Int32 { listOfQuery[spec] ?? Self.none }

  /// Whether a state belongs in a list, as the app's own cache found.
  func match(of revision: UInt32, in list: Int32) -> MatchResult {
    guard list != Self.none else { return .notMember }
    if lists[Int(list)].unknown.contains(revision) { return .unknown }
    return lists[Int(list)].places[revision] == nil ? .notMember : .member
  }

  /// Where a state stands in a list; `nil` where it is not listed.
  func place(of revision: UInt32, in list: Int32) -> Int32? {
    list == Self.none ? nil : lists[Int(list)].places[revision]
  }

  func forEachList(of revision: UInt32, _ body: (Int32) -> Void) {
    guard !lists.isEmpty else { return }
    let first = firstListing[Int(revision)]
    for index in first..<firstListing[Int(revision) + 1] { body(listings[index]) }
  }

  /// The types of the objects that a list ever shows.
  func types(in list: Int32) -> [ResourceType] {
    list == Self.none ? [] : lists[Int(list)].types
  }

  /// The scope in which the members of a list stand, and nothing else.
  static func scope(of list: Int32) -> QueryScope {
    QueryScope(kind: .max, id: UniqueID(high: 0, low: UInt64(bitPattern: Int64(list))))
  }
}

/// One list, merged from all that a log says of it.
struct ShownList: Sendable {
  /// Where each state stands that is listed; looked up, never iterated.
  private(set) var places: [UInt32: Int32] = [:]
  /// The same states, in the order in which they were found.
  private(set) var states: [UInt32] = []
  private(set) var types: [ResourceType] = []
  /// Those of which the app could not tell; they have no place.
  let unknown: Set<UInt32>

  /// - Parameters:
  ///   - placed: each state with its place, in the order in which they were found.
  ///   - doubtful: those of which the app could not tell.
  ///   - catalog: the objects and their states.
  init(_ placed: [(state: UInt32, place: Int32)], doubtful: [UInt32], _ catalog: Catalog) {
    unknown = Set(doubtful)
    for (state, place) in placed {
      places[state] = place
      states.append(state)
    }
    states += doubtful.filter { places[$0] == nil }
    for state in states {
      let type = catalog.objects[Int(catalog.revisions[Int(state)].object)].type
      if !types.contains(type) { types.append(type) }
    }
  }
}
