import CacheModel
import NormalizedCacheCore
import Workloads

/// Goes through the reads of a log in order of time, and holds each against what is said of its query.
///
/// It asks the cache's own schema: what matters is what a cache will believe.
struct ContradictionSearch {
  private let workload: Workload
  private let schema: SimulationSchema
  private let states: RecordedStates
  private let history: StateHistory
  private let plans: [QueryPlan<QueryPredicate>]
  /// The queries that a state may enter, by scope; looked up, never iterated.
  private var queriesInScope: [QueryScope: [Int]] = [:]
  /// The states that some read of a query shows; looked up, never iterated.
  private var shown: Set<Appearance> = []
  /// How far each client's deliveries have been followed.
  private var nextDelivery: [Int]
  /// States that events have brought into a query since a client last read it; `nil` for what it never
  /// read, since no cache has that to patch.
  private var brought: [Reader: [UInt32]] = [:]
  /// The read that last showed each object.
  private var lastSeen: [Int]
  private var readCount = 0

  private struct Appearance: Hashable {
    var query: Int
    var state: UInt32
  }

  /// A client and a query that it reads.
  private struct Reader: Hashable {
    var client: Int
    var query: Int
  }

  init(_ workload: Workload, _ reads: [RecordedRead]) {
    self.workload = workload
    states = RecordedStates(of: workload)
    schema = SimulationSchema(workload, states)
    history = StateHistory(of: workload)
    plans = workload.queries.map { [schema] query in
      schema.plan(
        for: QueryKey(
          library: workload.library, method: query.kind.method, input: QueryInput.encode(query)))
    }
    nextDelivery = [Int](repeating: 0, count: workload.clients.count)
    lastSeen = [Int](repeating: 0, count: workload.catalog.objects.count)
    for (query, plan) in plans.enumerated()
    where plan.isCacheable && workload.queries[query].order != .asShown {
      queriesInScope[plan.scope, default: []].append(query)
    }
    for read in reads {
      for row in states.rows(of: read.result) {
        shown.insert(Appearance(query: read.query, state: row.revision))
      }
    }
  }

  /// What a read contradicts; reads come in order of time.
  mutating func contradictions(of read: RecordedRead) -> [LogContradictions.Kind] {
    follow(read.name.client, until: read.at)
    let reader = Reader(client: read.name.client, query: read.query)
    let arrived = brought[reader] ?? []
    brought[reader] = []
    let plan = plans[read.query]
    // What is not kept is not patched either.
    guard plan.isCacheable else { return [] }
    let rows = states.rows(of: read.result)
    readCount += 1
    for row in rows { lastSeen[Int(row.object)] = readCount }
    var kinds: [LogContradictions.Kind] = []
    if !isInOrder(rows, plan.predicate) {
      kinds.append(plan.predicate.isAsShown ? .shownOrder : .order)
    }
    if !rows.allSatisfy({ belongs($0, plan.predicate) }) { kinds.append(.foreignRow) }
    if arrived.contains(where: { isMissing($0, in: rows, of: read) }) {
      kinds.append(.missingRow)
    }
    if rows.count < read.result.rows.count { kinds.append(.unknownState) }
    if read.result.rows.count > plan.limit ?? .max { kinds.append(.tooLong) }
    return kinds
  }

  private func key(_ row: Handle) -> EntityKey { schema.objects[Int(row.object)] }

  private func belongs(_ row: Handle, _ predicate: QueryPredicate) -> Bool {
    schema.belongs(row, key: key(row), in: predicate) != .notMember
  }

  private func precedes(_ left: Handle, _ right: Handle, _ predicate: QueryPredicate) -> Bool {
    schema.precedes(left, key: key(left), right, key: key(right), in: predicate)
  }

  private func isInOrder(_ rows: [Handle], _ predicate: QueryPredicate) -> Bool {
    zip(rows, rows.dropFirst()).allSatisfy { precedes($0, $1, predicate) }
  }

  /// Whether a state that was brought by an event should stand in a result, and its object does not.
  ///
  /// A state that another read shows is not missing: there the app was only behind.
  private func isMissing(_ state: UInt32, in rows: [Handle], of read: RecordedRead) -> Bool {
    let row = Handle(object: schema.revisions[Int(state)].object, revision: state)
    guard lastSeen[Int(row.object)] != readCount,
      !shown.contains(Appearance(query: read.query, state: state)),
      history.endedAt(state).map({ $0 > read.at }) ?? true
    else { return false }
    guard let last = rows.last, rows.count >= plans[read.query].limit ?? .max else { return true }
    return precedes(row, last, plans[read.query].predicate)
  }

  /// Takes in what the link brought to a client up to an instant.
  private mutating func follow(_ client: Int, until now: Instant) {
    let deliveries = workload.clients[client].deliveries
    while nextDelivery[client] < deliveries.count, deliveries[nextDelivery[client]].at <= now {
      if case .event(let mutation) = deliveries[nextDelivery[client]].content {
        take(workload.mutations[Int(mutation)], client)
      }
      nextDelivery[client] += 1
    }
  }

  private mutating func take(_ mutation: Mutation, _ client: Int) {
    guard mutation.kind == .changed || mutation.kind == .batchChanged else { return }
    for item in workload.items[mutation.items] {
      let row = Handle(object: item.object, revision: item.revision)
      schema.forEachScope(of: row, key: key(row)) { scope in
        for query in queriesInScope[scope] ?? [] where belongs(row, plans[query].predicate) {
          brought[Reader(client: client, query: query)]?.append(item.revision)
        }
      }
    }
  }
}
