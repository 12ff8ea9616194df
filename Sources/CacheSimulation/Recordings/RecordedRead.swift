import CacheModel
import Workloads

/// A read of a query whose result an app recorded.
struct RecordedRead: Sendable {
  var name: ObservedRead
  var at: Instant
  /// As an index of the workload's queries.
  var query: Int
  var result: ObservedResult

  /// All of a workload, in order of time; of one instant in the order of the clients.
  static func all(of workload: Workload) -> [RecordedRead] {
    var reads: [RecordedRead] = []
    for (client, script) in workload.clients.enumerated() {
      for (number, action) in script.actions.enumerated() {
        let name = ObservedRead(client: client, action: number)
        guard let query = action.kind.query, let result = workload.observedResults[name] else {
          continue
        }
        reads.append(RecordedRead(name: name, at: action.at, query: query, result: result))
      }
    }
    guard workload.clients.count > 1 else { return reads }
    return reads.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }.map(\.element)
  }
}

extension SessionAction.Kind {
  /// The query that it asks; `nil` for what asks none.
  fileprivate var query: Int? {
    switch self {
    case .read(let query), .redraw(let query), .observe(let query): Int(query)
    case .unobserve, .tag, .open, .write: nil
    }
  }
}
