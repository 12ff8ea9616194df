import CacheModel
import RecordingCodec
import Workloads

/// The lists of a recording whose order is as shown, merged from results and recorded positions.
///
/// A recorded position was computed by the app's own schema, so it is correct. A state without one keeps its
/// object's position, if the list showed the object then, until a result shows that it has left.
struct ListMerge {
  private var lists: [MergedList]
  /// The lists that currently show each object; looked up, never iterated.
  private var listsOfObject: [UInt32: [Int32]] = [:]
  /// The time of the last recorded state or shown result.
  private var latest = Instant.zero

  static func all(
    of workload: Workload, _ listOfQuery: [QuerySpec: Int32], count: Int
  ) -> [ShownList] {
    var merged = ListMerge(workload, listOfQuery, count: count)
    merged.merge(workload, listOfQuery)
    return merged.lists.map { ShownList($0.places, doubtful: $0.unknown, workload.catalog) }
  }

  private init(_ workload: Workload, _ listOfQuery: [QuerySpec: Int32], count: Int) {
    lists = [MergedList](repeating: MergedList(), count: count)
    for query in workload.queries {
      if let list = listOfQuery[query] { lists[Int(list)].limit = Int(query.limit) }
    }
  }

  /// A log's statement about lists at an instant.
  private enum Telling {
    case mutation(Mutation)
    case place(ListedPlace)
    /// A list gets the rows of another.
    case taking(query: UInt32, from: UInt32)
    case result(query: UInt32, rows: [Handle])
  }

  /// All statements in order of time; at one instant first states, then positions, then results.
  private static func tellings(of workload: Workload) -> [(at: Instant, telling: Telling)] {
    var tellings = workload.mutations.map { ($0.at, Telling.mutation($0)) }
    tellings += (workload.places ?? []).map { ($0.at, .place($0)) }
    for action in workload.clients.flatMap(\.actions) {
      guard case .maintenance(.take(let query, let longer)) = action.kind else { continue }
      tellings.append((action.at, .taking(query: query, from: longer)))
    }
    for (client, script) in workload.clients.enumerated() {
      for (number, action) in script.actions.enumerated() {
        let name = ObservedRead(client: client, action: number)
        guard let query = action.kind.showsRows, let result = workload.observedResults[name] else {
          continue
        }
        tellings.append((action.at, .result(query: query, rows: workload.catalog.rows(result))))
      }
      for answer in script.answers {
        guard case .query(let query) = answer.target, let result = answer.result else { continue }
        tellings.append((answer.at, .result(query: query, rows: workload.catalog.rows(result))))
      }
    }
    return tellings.enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }.map(\.element)
  }

  private mutating func merge(_ workload: Workload, _ listOfQuery: [QuerySpec: Int32]) {
    func list(_ query: UInt32) -> Int32? { listOfQuery[workload.queries[Int(query)]] }
    for (at, telling) in Self.tellings(of: workload) {
      switch telling {
      case .mutation(let mutation): take(mutation, workload.items)
      case .place(let place):
        guard let list = list(place.query) else { continue }
        take(place, workload.catalog.revisions[Int(place.state)].object, list)
      case .taking(let query, let longer):
        guard let shorter = list(query), let longer = list(longer) else { continue }
        let rows = lists[Int(longer)].rows.prefix(lists[Int(shorter)].limit)
        latest = at
        change(shorter) { $0.take(Array(rows), at: at) }
      case .result(let query, let rows):
        guard let list = list(query) else { continue }
        latest = at
        change(list) { $0.show(rows) }
      }
    }
  }

  private mutating func take(_ mutation: Mutation, _ items: [MutationItem]) {
    latest = mutation.at
    for item in items[mutation.items] {
      guard let holders = listsOfObject[item.object] else { continue }
      for list in holders {
        if item.revision == MutationItem.deleted {
          change(list) { $0.leave(item.object) }
        } else {
          lists[Int(list)].carryOver(item.object, to: item.revision, at: latest)
        }
      }
    }
  }

  private mutating func take(_ place: ListedPlace, _ object: UInt32, _ list: Int32) {
    let latest = latest
    change(list) { list in
      switch place.match {
      case .listed: list.put(place, object, latest)
      case .notListed: list.leave(object, place.state)
      case .unknown: list.doubt(place.state)
      }
    }
  }

  /// Changes a list, and updates the objects that it shows.
  private mutating func change(_ list: Int32, _ body: (inout MergedList) -> Void) {
    let former = lists[Int(list)].window
    body(&lists[Int(list)])
    let window = lists[Int(list)].window
    guard former != window else { return }
    for object in former { listsOfObject[object]?.removeAll { $0 == list } }
    for object in window { listsOfObject[object, default: []].append(list) }
  }
}

private struct MergedList {
  var limit = Int.max
  /// The currently shown objects, in order.
  private(set) var window: [UInt32] = []
  /// States with unknown membership.
  private(set) var unknown: [UInt32] = []
  /// The states ever shown, in the order of their discovery; their nodes are looked up.
  private var states: [UInt32] = []
  private var nodes: [UInt32: Int32] = [:]
  private var nodeOfObject: [UInt32: Int32] = [:]
  /// The state of each object ever shown; looked up, never iterated.
  private var stateOfObject: [UInt32: UInt32] = [:]
  /// The times of states without a recorded position or a later result; looked up, never iterated.
  private var assumed: [UInt32: Instant] = [:]
  /// The same states by object, including some whose position is known by now; looked up, never iterated.
  private var assumedOfObject: [UInt32: [UInt32]] = [:]
  private var line = GrowingOrder()
  /// The recorded or shown order of pairs of nodes, without duplicates.
  private var isBefore: [NodePair] = []
  private var toldPairs: Set<NodePair> = []
  /// Whether the line contradicts a pair.
  private var isLineWrong = false
  /// The number of nodes and pairs visited to make the line consistent with the pairs.
  private var work = 0

  /// The maximum of that: a file that contradicts the line with every row would take hours.
  private static let mostWork = 100_000_000

  var places: [(state: UInt32, place: Int32)] {
    let places = ToldOrder.places(of: line, isBefore)
    return states.compactMap { state in nodes[state].map { (state, places[Int($0)]) } }
  }

  /// The currently shown rows.
  var rows: [Handle] {
    window.compactMap { object in
      stateOfObject[object].map { Handle(object: object, revision: $0) }
    }
  }

  /// Replaces a shown object's state by another one without a recorded position.
  mutating func carryOver(_ object: UInt32, to state: UInt32, at now: Instant) {
    guard nodes[state] == nil, let node = nodeOfObject[object] else { return }
    note(state, node)
    stateOfObject[object] = state
    assumed[state] = now
    assumedOfObject[object, default: []].append(state)
  }

  /// Applies a recorded position.
  ///
  /// It is recorded at once if the state's position differs from the previous one's; or later, if the state
  /// has returned to a list.
  mutating func put(_ place: ListedPlace, _ object: UInt32, _ latest: Instant) {
    correctLine()
    let after = place.after.flatMap { nodeOfObject[$0] }
    let before = place.before.flatMap { nodeOfObject[$0] }
    let since = assumed.removeValue(forKey: place.state)
    let node: Int32
    if let own = nodes[place.state],
      since.map({ $0 < latest && fits(own, behind: after, before: before) }) ?? true
    {
      node = own
    } else {
      node = line.insert(behind: after ?? before.flatMap { line.node(before: $0) })
      note(place.state, node)
    }
    nodeOfObject[object] = node
    stateOfObject[object] = place.state
    if let after { tell(after, isBefore: node) }
    if let before { tell(node, isBefore: before) }
    window.removeAll { $0 == object }
    let index =
      place.after.flatMap { window.firstIndex(of: $0) }.map { $0 + 1 }
      ?? place.before.flatMap { window.firstIndex(of: $0) } ?? 0
    guard index < limit else { return }
    window.insert(object, at: index)
    if window.count > limit { window.removeLast() }
  }

  /// Removes an object, because of a new state or a deletion.
  mutating func leave(_ object: UInt32, _ state: UInt32? = nil) {
    window.removeAll { $0 == object }
    if let state, assumed.removeValue(forKey: state) != nil { nodes[state] = nil }
  }

  mutating func doubt(_ state: UInt32) { if !unknown.contains(state) { unknown.append(state) } }

  /// Applies rows taken from a longer list.
  ///
  /// Their order is unknown: a row whose value the app did not have keeps its position.
  mutating func take(_ rows: [Handle], at now: Instant) {
    let known = nodes
    show(rows, tellsOrder: false)
    for row in rows where known[row.revision] == nil { assumed[row.revision] = now }
  }

  /// Applies rows shown by a read, a view or an answer.
  mutating func show(_ rows: [Handle], tellsOrder: Bool = true) {
    correctLine()
    // From the last row up: the nearest lower row with a position.
    var known = [Int32?](repeating: nil, count: rows.count + 1)
    for index in rows.indices.reversed() {
      let row = rows[index].revision
      known[index] = (assumed[row] == nil ? nodes[row] : nil) ?? known[index + 1]
    }
    var previous: Int32?
    for (index, row) in rows.enumerated() {
      let node: Int32
      if let own = nodes[row.revision],
        assumed[row.revision] == nil || fits(own, behind: previous, before: known[index + 1])
      {
        node = own
      } else {
        node = line.insert(behind: previous)
        note(row.revision, node)
      }
      if tellsOrder { assumed[row.revision] = nil }
      nodeOfObject[row.object] = node
      stateOfObject[row.object] = row.revision
      if tellsOrder, let previous { tell(previous, isBefore: node) }
      previous = node
    }
    if tellsOrder, rows.count < limit { forget(window, but: rows) }
    window = rows.map(\.object)
  }

  /// Removes objects that a result no longer shows, although it has space: the assumptions about their later
  /// states were wrong.
  private mutating func forget(_ objects: [UInt32], but rows: [Handle]) {
    let shown = Set(rows.map(\.object))
    for object in objects where !shown.contains(object) {
      for state in assumedOfObject.removeValue(forKey: object) ?? []
      where assumed.removeValue(forKey: state) != nil {
        nodes[state] = nil
      }
    }
  }

  private func fits(_ node: Int32, behind previous: Int32?, before next: Int32?) -> Bool {
    (previous.map { line.precedes($0, node) } ?? true)
      && (next.map { line.precedes(node, $0) } ?? true)
  }

  private mutating func tell(_ left: Int32, isBefore right: Int32) {
    let pair = NodePair(left: left, right: right)
    guard left != right, toldPairs.insert(pair).inserted else { return }
    isBefore.append(pair)
    if line.precedes(right, left) { isLineWrong = true }
  }

  /// Adjusts the line to the recorded pairs before it is used.
  private mutating func correctLine() {
    guard isLineWrong, work < Self.mostWork else { return }
    work += line.count + isBefore.count
    line.reorder(to: ToldOrder.places(of: line, isBefore))
    isLineWrong = false
  }

  private mutating func note(_ state: UInt32, _ node: Int32) {
    if nodes.updateValue(node, forKey: state) == nil { states.append(state) }
  }
}

extension Catalog {
  func rows(_ states: [UInt32]) -> [Handle] {
    states.map { Handle(object: revisions[Int($0)].object, revision: $0) }
  }
}

extension SessionAction.Kind {
  /// The query that the action reads; `nil` if it reads none.
  var asksFor: UInt32? {
    switch self {
    case .read(let query), .redraw(let query), .observe(let query): query
    case .unobserve, .tag, .open, .write, .maintenance: nil
    }
  }

  /// The query whose rows the action shows, read or not.
  fileprivate var showsRows: UInt32? {
    switch self {
    case .unobserve(let query), .maintenance(.take(let query, _)): query
    default: asksFor
    }
  }
}
