import CacheModel
package import EvictionPolicies

/// Replays traces of keys against eviction orders.
package enum Replay {
  /// One policy at one capacity.
  package struct Cell: Sendable {
    package var policy: EvictionPolicyDescriptor
    /// In entities, or in bytes if the rules say so.
    package var capacity: Int
    /// For a replay of operations; `nil`: of reads alone, where every entity weighs one.
    package var rules: ReplayRules?

    package init(policy: EvictionPolicyDescriptor, capacity: Int, rules: ReplayRules? = nil) {
      self.policy = policy
      self.capacity = capacity
      self.rules = rules
    }
  }

  /// Replays one cell, on the caller's thread.
  ///
  /// - Parameters:
  ///   - cell: the policy and its capacity.
  ///   - trace: the requests.
  ///   - seed: for policies that draw; the same seed gives the same row.
  /// - Returns: what was counted.
  package static func run(_ cell: Cell, of trace: InternedTrace, seed: UInt64) -> ReplayRow {
    run(cell, of: trace, nextUses: nextUses(for: [cell], of: trace), seed: seed)
  }

  /// What some of the cells need to know of the future; nothing where none does.
  ///
  /// - Parameters:
  ///   - cells: the policies and their capacities.
  ///   - trace: the requests, the same for all.
  /// - Returns: the ``NextUses`` of the trace, or an empty array.
  package static func nextUses(for cells: [Cell], of trace: InternedTrace) -> [UInt32] {
    cells.contains { $0.policy.needsFuture && $0.rules == nil }
      ? NextUses.of(trace.ids.span, distinct: trace.distinct) : []
  }

  /// Replays one cell with a future that was found out before.
  ///
  /// - Parameters:
  ///   - cell: the policy and its capacity.
  ///   - trace: the requests.
  ///   - nextUses: what ``nextUses(for:of:)`` says of a list of cells with this one.
  ///   - seed: for policies that draw; the same seed gives the same row.
  /// - Returns: what was counted.
  package static func run(
    _ cell: Cell, of trace: InternedTrace, nextUses: [UInt32], seed: UInt64
  ) -> ReplayRow {
    let random = RandomSource(seed: seed).substream("eviction")
    if let rules = cell.rules {
      let counts = cell.policy.replayOperations(trace.lines, rules, random)
      return ReplayRow(
        trace: trace.name, policy: cell.policy.name, capacity: rules.capacity, operations: counts,
        hasWeights: !trace.weights.isEmpty, isEstimate: cell.policy.needsFuture)
    }
    let counts = cell.policy.replayUnitSize(
      trace.ids.span, nextUses: nextUses.span, trace.distinct, cell.capacity, random)
    return ReplayRow(
      trace: trace.name, policy: cell.policy.name, capacity: cell.capacity,
      counts: counts)
  }

  /// Replays many cells side by side; rows come back in the order of the cells.
  ///
  /// - Parameters:
  ///   - cells: the policies and their capacities.
  ///   - trace: the requests, the same for all.
  ///   - seed: for policies that draw; the same seed gives the same rows.
  ///   - width: how many cells run at once; each holds four bytes per distinct key and, per entity of
  ///     its capacity, about as many as a few words.
  /// - Returns: one row per cell.
  package static func run(
    _ cells: [Cell], of trace: InternedTrace, seed: UInt64, width: Int
  ) async -> [ReplayRow] {
    let nextUses = nextUses(for: cells, of: trace)
    return await withTaskGroup(of: (Int, ReplayRow).self) { group in
      var rows = [ReplayRow?](repeating: nil, count: cells.count)
      var started = 0
      func start() {
        guard started < cells.count else { return }
        let (index, cell) = (started, cells[started])
        started += 1
        group.addTask { (index, run(cell, of: trace, nextUses: nextUses, seed: seed)) }
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
