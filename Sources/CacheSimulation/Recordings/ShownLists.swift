import CacheModel
import NormalizedCacheCore
import Workloads

/// What each state of an object means to the queries whose order is `as-shown`: whether they list it,
/// and where, as the log of an app has it.
///
/// A client that patches such a list right knows the app's own order and filter; a cache that is
/// simulated has no other source for them than the results that the log holds, the later ones too. So
/// they are merged beforehand, and a cache looks up in O(1) where a state belongs.
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

  init(of workload: Workload, _ states: RecordedStates) {
    for query in workload.queries where query.order == .asShown && listOfQuery[query] == nil {
      listOfQuery[query] = Int32(listOfQuery.count)
    }
    guard !listOfQuery.isEmpty else { return }
    if workload.places != nil {
      lists = PlacedLists.all(of: workload, states, listOfQuery, count: listOfQuery.count)
      collectListings(stateCount: workload.catalog.revisions.count)
      return
    }
    let history = StateHistory(of: workload)
    var results = [[ShownResult]](repeating: [], count: listOfQuery.count)
    for shown in RecordedRead.results(of: workload) {
      guard let list = listOfQuery[workload.queries[shown.query]] else { continue }
      results[Int(list)].append(ShownResult(at: shown.at, rows: states.rows(of: shown.result)))
    }
    lists = results.map { ShownList($0, history, workload.catalog) }
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
  func belonging(of revision: UInt32, in list: Int32) -> MatchResult {
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

  /// The one location of all that a list ever shows; `noObject` for none, or several.
  func location(of list: Int32) -> UInt32 {
    list == Self.none ? Revision.noObject : lists[Int(list)].location
  }

  /// The scope in which the members of a list stand, and nothing else.
  static func scope(of list: Int32) -> QueryScope {
    QueryScope(kind: .max, id: UniqueID(high: 0, low: UInt64(bitPattern: Int64(list))))
  }
}

/// What one read of a list showed.
struct ShownResult: Sendable {
  var at: Instant
  var rows: [Handle]
}

/// One list, merged from all its results.
struct ShownList: Sendable {
  /// Where each state stands that is listed; looked up, never iterated.
  private(set) var places: [UInt32: Int32] = [:]
  /// The same states, in the order in which they were found.
  private(set) var states: [UInt32] = []
  private(set) var types: [ResourceType] = []
  private(set) var location = Revision.noObject
  /// Those of which the app could not tell; they have no place.
  private(set) var unknown: Set<UInt32> = []

  /// - Parameters:
  ///   - placed: each state with its place, in the order in which they were found.
  ///   - doubtful: those of which the app could not tell.
  ///   - catalog: the objects and their states.
  init(_ placed: [(state: UInt32, place: Int32)], doubtful: [UInt32], _ catalog: Catalog) {
    for (state, place) in placed { add(state, at: place) }
    unknown = Set(doubtful)
    states += doubtful.filter { places[$0] == nil }
    noteKinds(catalog)
  }

  /// - Parameters:
  ///   - results: in order of time.
  ///   - history: when each state was committed.
  ///   - catalog: the objects and their states.
  init(_ results: [ShownResult], _ history: StateHistory, _ catalog: Catalog) {
    let order = MergedOrder(results)
    let places = order.line.places
    for state in order.states {
      guard let node = order.nodes[state] else { continue }
      add(state, at: places[Int(node)])
    }
    addUnseenStates(of: order.objects, history, results)
    noteKinds(catalog)
  }

  private mutating func noteKinds(_ catalog: Catalog) {
    for state in states {
      let revision = catalog.revisions[Int(state)]
      let type = catalog.objects[Int(revision.object)].type
      if !types.contains(type) { types.append(type) }
    }
    let locations = states.lazy.map { catalog.revisions[Int($0)].location }
    if let first = locations.first, locations.allSatisfy({ $0 == first }) { location = first }
  }

  private mutating func add(_ state: UInt32, at place: Int32) {
    places[state] = place
    states.append(state)
  }

  /// Decides on the states that no read showed, of objects that some read did.
  ///
  /// The first read after the commit that does not show an older state of the object decides: if it
  /// shows a newer one, the state stands where that does; if none, it is not listed. Where there is no
  /// such read, it is as the state before it.
  private mutating func addUnseenStates(
    of objects: [UInt32], _ history: StateHistory, _ results: [ShownResult]
  ) {
    let appearances = Appearances(in: results)
    for object in objects {
      let seen = appearances.of(object)
      // The read that decides on a state is no earlier than the one that decides on the state before.
      var (read, next) = (0, 0)
      var former: UInt32?
      for state in history.states(of: object) {
        defer { former = state }
        guard places[state] == nil else { continue }
        while read < results.count, results[read].at < history.committedAt(state) { read += 1 }
        while true {
          while next < seen.count, seen[next].read < read { next += 1 }
          guard next < seen.count, seen[next].read == read, seen[next].state < state else { break }
          read += 1
        }
        let place: Int32?
        if read == results.count {
          place = former.flatMap { places[$0] }
        } else if next < seen.count, seen[next].read == read {
          place = places[seen[next].state]
        } else {
          place = nil
        }
        if let place { add(state, at: place) }
      }
    }
  }
}

/// In which of a list's results each object stands, and in which state.
private struct Appearances {
  /// By object; looked up, never iterated.
  private var byObject: [UInt32: [(read: Int, state: UInt32)]] = [:]

  init(in results: [ShownResult]) {
    for (read, result) in results.enumerated() {
      for row in result.rows { byObject[row.object, default: []].append((read, row.revision)) }
    }
  }

  /// In order of time.
  func of(_ object: UInt32) -> [(read: Int, state: UInt32)] { byObject[object] ?? [] }
}

/// The results of a list merged into one order, in order of time.
///
/// A state that no earlier result showed is put behind the row before it in the result that does, or
/// before all. A state of an object that stands there already keeps its place: most changes move nothing.
struct MergedOrder: Sendable {
  /// The nodes of the states that were shown; looked up, never iterated.
  private(set) var nodes: [UInt32: Int32] = [:]
  /// The same states, and their objects, in order of appearance.
  private(set) var states: [UInt32] = []
  private(set) var objects: [UInt32] = []
  private(set) var line = GrowingOrder()
  /// The node of each object's latest state.
  private var nodeOfObject: [UInt32: Int32] = [:]

  init(_ results: [ShownResult]) {
    for result in results where result.rows.contains(where: { nodes[$0.revision] == nil }) {
      merge(result.rows)
    }
  }

  private mutating func merge(_ rows: [Handle]) {
    // From the last row up: the nearest row below each that has a place.
    var known = [Int32?](repeating: nil, count: rows.count + 1)
    for index in rows.indices.reversed() {
      known[index] = nodes[rows[index].revision] ?? known[index + 1]
    }
    var previous: Int32?
    for (index, row) in rows.enumerated() {
      let node: Int32
      if let own = nodes[row.revision] {
        node = own
      } else {
        let former = nodeOfObject[row.object]
        if former == nil { objects.append(row.object) }
        if let former, fits(former, behind: previous, before: known[index + 1]) {
          node = former
        } else {
          node = line.insert(behind: previous)
        }
        nodes[row.revision] = node
        states.append(row.revision)
      }
      nodeOfObject[row.object] = node
      previous = node
    }
  }

  private func fits(_ node: Int32, behind previous: Int32?, before next: Int32?) -> Bool {
    (previous.map { line.precedes($0, node) } ?? true)
      && (next.map { line.precedes(node, $0) } ?? true)
  }
}
