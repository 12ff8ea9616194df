import CacheModel
import Workloads

@testable import CacheSimulation

/// Makes logs of an app that shows what its server has, in an order of its own.
enum ShownLog {
  /// The order of rows in the app.
  enum Rows: CaseIterable {
    /// As the queries have it.
    case own
    /// The latest version first, whatever it is of.
    case newestFirst
    /// By the number of the object, the last first: nothing in a state tells it.
    case backwards
  }

  /// - Parameters:
  ///   - workload: of known truth, whose queries have no limit that they reach.
  ///   - rows: the order in which the app shows them.
  ///   - isAsShown: whether the log declares no order.
  /// - Returns: the same workload, as an app would log it.
  static func make(
    from workload: Workload, _ rows: Rows, isAsShown: Bool
  ) -> Workload {
    var log = workload
    log.truth = .observed
    let truth = StateOrder(of: workload)
    for (client, script) in workload.clients.enumerated() {
      var server = SimulatedServer(workload, order: truth)
      for (number, action) in script.actions.enumerated() {
        server.advance(to: action.at)
        guard case let shown? = answer(to: action.kind, by: &server) else { continue }
        log.observedResults[ObservedRead(client: client, action: number)] =
          sorted(shown, rows, workload.catalog).map(\.revision)
      }
    }
    if isAsShown {
      for shape in log.model.shapes.indices { log.model.shapes[shape].order = [] }
    }
    return log
  }

  private static func answer(
    to action: SessionAction.Kind, by server: inout SimulatedServer
  ) -> [Handle]? {
    switch action {
    case .read(let query), .redraw(let query), .observe(let query):
      return server.answer(Int(query)).rows
    case .open(let object, _):
      let revision = server.current[Int(object)]
      return revision == SimulatedServer.noRevision
        ? [] : [Handle(object: object, revision: revision)]
    case .unobserve, .tag, .write, .upkeep: return nil
    }
  }

  private static func sorted(_ shown: [Handle], _ rows: Rows, _ catalog: Catalog) -> [Handle] {
    switch rows {
    case .own: return shown
    case .newestFirst:
      return shown.sorted {
        let (left, right) = (
          catalog.revisions[Int($0.revision)], catalog.revisions[Int($1.revision)]
        )
        return left.version != right.version
          ? right.version < left.version : left.object < right.object
      }
    case .backwards: return shown.sorted { $0.object > $1.object }
    }
  }
}
