import CacheModel
package import CacheSimulation
import NormalizedCache
package import ResultModel
package import Workloads

/// What the caches of a scenario's policies take: of typed values, at their peak, and of what parts.
///
/// A store of an app's values is given what the first client's simulated cache was given, up to the step at
/// which its values weigh most. Then the values are let go that it does not hold, and then the store: what
/// the allocator has back is what it took.
package struct PolicyMemory {
  private let scenario: String
  private let workload: Workload
  private let simulation: Simulation

  package init(scenario: String, workload: Workload, sharedLimits: SharedLimits) {
    self.scenario = scenario
    self.workload = workload
    simulation = Simulation(of: workload, sharedLimits: sharedLimits)
  }

  /// What a policy's cache takes: in all, the entity store and the query index by their own count, the
  /// store by its residents, and how far the count is from the whole.
  ///
  /// - Throws: what the simulation throws, a coder, or the counter.
  package func rows(
    of policy: ReplayedPolicy, counter: some AllocationCounter
  ) throws -> [ResultRow] {
    let store = try filled(policy)
    let residents = store.residents.count
    let parts = try store.parts(valueBytes: bytes(of: store.residents, counter))
    let full = try counter.read().allocated
    store.close()
    let total = try full - counter.read().allocated
    let rows = RunRows(
      scenario: scenario, policy: policy.name, seed: workload.seed, samples: residents)
    let counted = parts.store + parts.queryIndex
    // A cache that keeps nothing has no size by which to judge the count.
    let keeps = residents > 0 && total > 0
    return [
      rows.row(.cacheTotalBytes, .integer(Int64(total))),
      rows.row(.storeBytes, .integer(Int64(parts.store))),
      rows.row(.queryIndexBytes, .integer(Int64(parts.queryIndex))),
      rows.row(
        .storeBytesPerEntity,
        keeps ? .real(Double(parts.store) / Double(residents)) : nil),
      rows.row(
        .countErrorShare,
        keeps ? .real(abs(Double(counted) / Double(total) - 1)) : nil),
    ]
  }

  /// A policy's cache at its peak; nothing else holds its values.
  private func filled(_ policy: ReplayedPolicy) throws -> StoreReplay {
    let calls = try simulation.calls(
      ofClient: 0, policy: policy.name, composition: policy.composition)
    let values = try ReplayValues(
      of: workload, needing: [calls],
      padding: policy.handicap == .fat ? ReplayedPolicy.Handicap.fatness : 0)
    var store = try StoreReplay(calls, policy, simulation.schema, values)
    try store.play(through: peak(of: calls, policy, values))
    store.end()
    return store
  }

  /// The number of the last call before the cache is at its peak.
  private func peak(
    of calls: ClientCalls, _ policy: ReplayedPolicy, _ values: ReplayValues
  ) throws -> Int {
    var store = try StoreReplay(calls, policy, simulation.schema, values)
    var (peak, most) = (0, 0)
    for index in calls.all.indices {
      store.play(through: index)
      if store.weight > most { (peak, most) = (index, store.weight) }
    }
    return peak
  }

  /// What values point to, counted by decoding each of them once more.
  private func bytes(of values: [AppValue], _ counter: some AllocationCounter) throws -> Int {
    let before = try counter.read().allocated
    var copies: [AppValue] = []
    copies.reserveCapacity(values.count)
    let places = try counter.read().allocated - before
    for value in values { copies.append(value.copied) }
    return try withExtendedLifetime(copies) { try counter.read().allocated - before - places }
  }
}
