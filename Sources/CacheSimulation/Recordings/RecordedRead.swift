import CacheModel
import RecordingCodec
import Workloads

/// A read of a query whose result an app recorded.
struct RecordedRead: Sendable {
  var name: ObservedRead
  var at: Instant
  /// As an index of the workload's queries.
  var query: Int
  /// The states that it showed, in their order.
  var rows: [Handle]

  /// All of a workload, in order of time; of one instant in the order of the clients.
  static func all(of workload: Workload) -> [RecordedRead] {
    var reads: [RecordedRead] = []
    for (client, script) in workload.clients.enumerated() {
      for (number, action) in script.actions.enumerated() {
        let name = ObservedRead(client: client, action: number)
        guard let query = action.kind.asksFor, let states = workload.observedResults[name] else {
          continue
        }
        let rows = workload.catalog.rows(states)
        reads.append(RecordedRead(name: name, at: action.at, query: Int(query), rows: rows))
      }
    }
    guard workload.clients.count > 1 else { return reads }
    return reads.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }.map(\.element)
  }

  /// All that a workload's queries ever showed, in order of time: to reads, to views that were left, and in
  /// the answers of the server.
  static func results(
    of workload: Workload
  ) -> [(at: Instant, query: Int, rows: [Handle])] {
    var results = all(of: workload).map { ($0.at, $0.query, $0.rows) }
    let count = results.count
    for (client, script) in workload.clients.enumerated() {
      for (number, action) in script.actions.enumerated() {
        guard let query = action.kind.showsWithoutAsking,
          let result = workload.observedResults[ObservedRead(client: client, action: number)]
        else { continue }
        results.append((action.at, Int(query), workload.catalog.rows(result)))
      }
      for answer in script.answers {
        guard case .query(let query) = answer.target, let result = answer.result else { continue }
        results.append((answer.at, Int(query), workload.catalog.rows(result)))
      }
    }
    guard results.count > count else { return results }
    return results.enumerated().sorted {
      ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
    }.map(\.element)
  }
}

extension Catalog {
  /// States, as rows.
  func rows(_ states: [UInt32]) -> [Handle] {
    states.map { Handle(object: revisions[Int($0)].object, revision: $0) }
  }
}

extension SessionAction.Kind {
  /// The query whose rows an app told of here, and asked for none.
  fileprivate var showsWithoutAsking: UInt32? {
    switch self {
    case .unobserve(let query), .upkeep(.take(let query, _)): query
    case .read, .redraw, .observe, .tag, .open, .write, .upkeep: nil
    }
  }

  /// The query that it asks; `nil` for what asks none.
  var asksFor: UInt32? {
    switch self {
    case .read(let query), .redraw(let query), .observe(let query): query
    case .unobserve, .tag, .open, .write, .upkeep: nil
    }
  }
}
