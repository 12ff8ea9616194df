import CacheModel
import HeapModule
import NormalizedCacheCore
package import Workloads

/// The membership and position of each state in the queries that declare no order, from the log of an app.
///
/// A client that patches such a list correctly knows the app's own order and filter; a simulated cache has no
/// other source for them than the log, including later entries. So these are merged beforehand, and a cache
/// looks up in O(1) where a state belongs.
struct ShownLists: Sendable {
  /// The lists by query; looked up, never iterated.
  private var listOfQuery: [QuerySpec: Int32] = [:]
  private var lists: [ShownList] = []
  /// The range of each state's lists: from its first to the next one's; empty if there are no lists at all.
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

  /// Returns whether a state belongs in a list, as computed by the app's own cache.
  func match(of revision: UInt32, in list: Int32) -> MatchResult {
    guard list != Self.none else { return .notMember }
    if lists[Int(list)].unknown.contains(revision) { return .unknown }
    return lists[Int(list)].places[revision] == nil ? .notMember : .member
  }

  /// Returns the position of a state in a list; `nil` if it is not listed.
  func place(of revision: UInt32, in list: Int32) -> Int32? {
    list == Self.none ? nil : lists[Int(list)].places[revision]
  }

  func forEachList(of revision: UInt32, _ body: (Int32) -> Void) {
    guard !lists.isEmpty else { return }
    let first = firstListing[Int(revision)]
    for index in first..<firstListing[Int(revision) + 1] { body(listings[index]) }
  }

  /// Returns the types of the objects that a list ever shows.
  func types(in list: Int32) -> [ResourceType] {
    list == Self.none ? [] : lists[Int(list)].types
  }

  /// Returns the scope of exactly the members of a list.
  static func scope(of list: Int32) -> QueryScope {
    QueryScope(kind: .max, id: UniqueID(high: 0, low: UInt64(bitPattern: Int64(list))))
  }
}

/// One list, merged from all its lines in a log.
struct ShownList: Sendable {
  /// The position of each listed state; looked up, never iterated.
  private(set) var places: [UInt32: Int32] = [:]
  /// The same states, in the order of their discovery.
  private(set) var states: [UInt32] = []
  private(set) var types: [ResourceType] = []
  /// States of unknown membership, without a position.
  let unknown: Set<UInt32>

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

/// The number of rows that the server had for the reads of a workload's users.
package struct AskedRows: Sendable {
  /// The rows of each read, ascending, by the number of the query's kind from 1.
  private let counts: [[Int]]

  /// Returns the rows for a kind of query; empty if unknown, as for an app that logged no results.
  package subscript(kind: QueryKind) -> [Int] {
    counts.indices.contains(Int(kind.rawValue)) ? counts[Int(kind.rawValue)] : []
  }

  package init(of workload: Workload) {
    var counts = [[Int]](repeating: [], count: workload.model.shapes.count + 1)
    func note(_ rows: Int, of query: UInt32) {
      let kind = Int(workload.queries[Int(query)].kind.rawValue)
      if counts.indices.contains(kind) { counts[kind].append(rows) }
    }
    if workload.truth == .observed {
      for (client, script) in workload.clients.enumerated() {
        for (number, action) in script.actions.enumerated() {
          guard let query = action.kind.queryOfRead,
            let result = workload.observedResults[ObservedRead(client: client, action: number)]
          else { continue }
          note(result.count, of: query)
        }
      }
    } else {
      var server = SimulatedServer(workload, order: StateOrder(of: workload))
      let reads = workload.clients.flatMap { client in
        client.actions.compactMap { action in
          action.kind.queryOfRead.map { (at: action.at, query: $0) }
        }
      }
      for read in reads.sorted(by: { $0.at < $1.at }) {
        server.advance(to: read.at)
        note(server.answer(Int(read.query)).rows.count, of: read.query)
      }
    }
    for kind in counts.indices { counts[kind].sort() }
    self.counts = counts
  }
}

extension SessionAction.Kind {
  /// The query that the action reads; `nil` if it reads none.
  fileprivate var queryOfRead: UInt32? {
    switch self {
    case .read(let query), .observe(let query): query
    case .redraw, .unobserve, .tag, .open, .write, .maintenance: nil
    }
  }
}

/// Two nodes of a line, the first one before the second.
struct NodePair: Hashable {
  var left: Int32
  var right: Int32
}

/// Makes a line of nodes consistent with known pairs.
enum ToldOrder {
  /// Returns the position of each node: as in the line if that agrees with all pairs, otherwise in the
  /// closest order that does.
  ///
  /// If pairs contradict each other, the line decides. O((nodes + pairs) log nodes).
  static func places(of line: GrowingOrder, _ isBefore: [NodePair]) -> [Int32] {
    let ranks = line.places
    if isBefore.allSatisfy({ ranks[Int($0.left)] < ranks[Int($0.right)] }) { return ranks }
    var followers = [[Int32]](repeating: [], count: ranks.count)
    var awaited = [Int32](repeating: 0, count: ranks.count)
    for pair in isBefore {
      followers[Int(pair.left)].append(pair.right)
      awaited[Int(pair.right)] += 1
    }
    var nodes = [Int32](repeating: 0, count: ranks.count)
    for (node, place) in ranks.enumerated() { nodes[Int(place)] = Int32(node) }
    var ready = Heap(ranks.indices.filter { awaited[$0] == 0 }.map { ranks[$0] })
    var isPlaced = [Bool](repeating: false, count: ranks.count)
    var sorted = ranks
    var next: Int32 = 0
    var first = 0
    while Int(next) < ranks.count {
      if ready.isEmpty {
        // The pairs contradict each other.
        while isPlaced[Int(nodes[first])] { first += 1 }
        ready.insert(Int32(first))
      }
      let node = nodes[Int(ready.removeMin())]
      if isPlaced[Int(node)] { continue }
      isPlaced[Int(node)] = true
      sorted[Int(node)] = next
      next += 1
      for follower in followers[Int(node)] {
        awaited[Int(follower)] -= 1
        if awaited[Int(follower)] == 0 { ready.insert(ranks[Int(follower)]) }
      }
    }
    return sorted
  }
}
