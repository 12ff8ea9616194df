import CacheModel
package import EvictionPolicies

/// Replays traces of keys against eviction orders.
package enum Replay {
  /// One policy at one capacity.
  package struct Cell: Sendable {
    package var policy: EvictionPolicyDescriptor
    package var capacity: Int

    package init(policy: EvictionPolicyDescriptor, capacity: Int) {
      self.policy = policy
      self.capacity = capacity
    }
  }

  /// The cells of a comparison, policy by policy; capacities that resolve to the same number of
  /// entities are replayed once.
  package static func cells(
    for trace: InternedTrace, policies: [EvictionPolicyDescriptor], capacities: [CapacityRequest]
  ) throws(CapacityError) -> [Cell] {
    var sizes: [Int] = []
    for request in capacities {
      let size = try request.entities(of: trace)
      if !sizes.contains(size) { sizes.append(size) }
    }
    return policies.flatMap { policy in sizes.map { Cell(policy: policy, capacity: $0) } }
  }

  /// Replays one cell, on the caller's thread.
  ///
  /// - Parameters:
  ///   - cell: the policy and its capacity.
  ///   - trace: the requests.
  ///   - seed: for policies that draw; the same seed gives the same row.
  /// - Returns: what was counted.
  package static func run(_ cell: Cell, of trace: InternedTrace, seed: UInt64) -> ReplayRow {
    let random = RandomSource(seed: seed).substream("eviction")
    let counts = cell.policy.replayUnitSize(
      trace.ids.span, trace.distinct, cell.capacity, random)
    return ReplayRow(
      trace: trace.name, policy: cell.policy.name, capacity: cell.capacity, counts: counts)
  }

  /// Replays many cells side by side; rows come back in the order of the cells.
  ///
  /// - Parameters:
  ///   - cells: the policies and their capacities.
  ///   - trace: the requests, the same for all.
  ///   - seed: for policies that draw; the same seed gives the same rows.
  ///   - width: how many cells run at once; each holds tables of about ten bytes per distinct key.
  /// - Returns: one row per cell.
  package static func run(
    _ cells: [Cell], of trace: InternedTrace, seed: UInt64, width: Int
  ) async -> [ReplayRow] {
    await withTaskGroup(of: (Int, ReplayRow).self) { group in
      var rows = [ReplayRow?](repeating: nil, count: cells.count)
      var started = 0
      func start() {
        guard started < cells.count else { return }
        let (index, cell) = (started, cells[started])
        started += 1
        group.addTask { (index, run(cell, of: trace, seed: seed)) }
      }
      for _ in 0..<max(1, width) { start() }
      while let (index, row) = await group.next() {
        rows[index] = row
        start()
      }
      return rows.compactMap { $0 }
    }
  }
}
