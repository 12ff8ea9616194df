import CacheModel
package import Workloads

/// How many rows the server had for the reads of a workload's users.
package struct AskedRows: Sendable {
  /// By the number of the query's kind, from 1: the rows of each read, the fewest first.
  private let counts: [[Int]]

  /// Of a kind of query; empty where nothing is known of it, as of an app that logged no results.
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
  /// The query that a user asks here; `nil` where none is asked.
  fileprivate var queryOfRead: UInt32? {
    switch self {
    case .read(let query), .observe(let query): query
    case .redraw, .unobserve, .tag, .open, .write, .maintenance: nil
    }
  }
}
