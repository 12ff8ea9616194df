import CacheModel
import Workloads

extension SimulationInput {
  /// Returns the recordings with a fixed duration of every view.
  func withViews(lasting time: Duration) -> SimulationInput {
    var input = self
    for user in input.recorded?.users.indices ?? 0..<0 {
      let sessions = input.recorded?.users[user].sessions ?? []
      input.recorded?.users[user].sessions = sessions.map { $0.withViews(lasting: time) }
    }
    return input
  }
}

extension Workload {
  /// Returns a workload in which each view is left after a time, or before the next view of its query or the
  /// end of the process.
  ///
  /// O(actions · log actions).
  func withViews(lasting time: Duration) -> Workload {
    var changed = self
    changed.observedResults = [:]
    changed.recordedOutcomes = [:]
    for (client, script) in clients.enumerated() {
      // Each with the action whose position it takes among those of its instant, and its recorded result.
      var actions: [(action: SessionAction, place: Int, name: ObservedRead?)] = []
      var nextView: [UInt32: Instant] = [:]
      var restarts = script.relaunches[...]
      for place in script.actions.indices.reversed() {
        let action = script.actions[place]
        while let last = restarts.last, last > action.at { restarts = restarts.dropLast() }
        switch action.kind {
        case .unobserve: continue
        case .observe(let query):
          let restart = script.relaunches.dropFirst(restarts.count).first
            .map { $0.advanced(byNanoseconds: -1) }
          let ends = [action.at.advanced(by: time), nextView[query], restart].compactMap(\.self)
          nextView[query] = action.at
          if let end = ends.min(), end <= .zero.advanced(by: duration) {
            actions.append((SessionAction(at: end, kind: .unobserve(query: query)), place, nil))
          }
          fallthrough
        default:
          actions.append((action, place, ObservedRead(client: client, action: place)))
        }
      }
      // At one instant, leaving a view precedes opening one, but follows its own opening.
      let order = actions.indices.sorted { left, right in
        let (one, other) = (actions[left], actions[right])
        if one.action.at != other.action.at { return one.action.at < other.action.at }
        return one.place != other.place ? one.place < other.place : left > right
      }
      for (place, index) in order.enumerated() {
        let name = ObservedRead(client: client, action: place)
        guard let former = actions[index].name else { continue }
        changed.observedResults[name] = observedResults[former]
        changed.recordedOutcomes[name] = recordedOutcomes[former]
      }
      changed.clients[client].actions = order.map { actions[$0].action }
    }
    return changed
  }
}
