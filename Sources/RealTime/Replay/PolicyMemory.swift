import CacheModel
package import CacheSimulation
import NormalizedCache
package import ResultModel
package import Workloads

/// Measures the memory of the caches of a scenario's policies, with typed values, at their peak, and by
/// components.
///
/// A store of an app's values gets the calls of the first client's simulated cache, up to the step with the
/// maximum weight. Then the values outside the store are released, and then the store: the allocator's
/// difference is its memory.
package struct PolicyMemory {
  private let scenario: String
  private let workload: Workload
  private let simulation: Simulation

  package init(scenario: String, workload: Workload, sharedLimits: SharedLimits) {
    self.scenario = scenario
    self.workload = workload
    simulation = Simulation(of: workload, sharedLimits: sharedLimits)
  }

  /// Returns the memory of a policy's cache: the total, the entity store and the query index by their own
  /// count, the store by its residents, the error of the count, and the prediction of `simulate`.
  ///
  /// - Throws: the error of the simulation, of a coder, or of the counter.
  package func rows(
    of policy: ReplayedPolicy, counter: some AllocationCounter
  ) throws -> [ResultRow] {
    let store = try filled(policy)
    let residents = store.residents.count
    let parts = try store.parts(valueBytes: bytes(of: store.residents, counter))
    let predicted = store.predictedBytes(simulation.memory)
    let full = try counter.read().allocated
    store.close()
    let total = try full - counter.read().allocated
    let rows = RunRows(
      scenario: scenario, policy: policy.name, seed: workload.seed, samples: residents)
    let counted = parts.store + parts.queryIndex
    // An empty cache has no size to compare the count with.
    let keeps = residents > 0 && total > 0
    return [
      rows.row(.predictedBytes, keeps ? .integer(Int64(predicted)) : nil, .peak),
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

  /// Returns a policy's cache at its peak, with the only references to its values.
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

  /// Returns the index of the last call before the cache's peak.
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

  /// Returns the memory that values reference, by decoding each of them again.
  private func bytes(of values: [AppValue], _ counter: some AllocationCounter) throws -> Int {
    let before = try counter.read().allocated
    var copies: [AppValue] = []
    copies.reserveCapacity(values.count)
    let places = try counter.read().allocated - before
    for value in values { copies.append(value.copied) }
    return try withExtendedLifetime(copies) { try counter.read().allocated - before - places }
  }
}

/// A store of an app's values that processes a client's calls, without an actor and without waiting.
struct StoreReplay: ~Copyable {
  private var store: CacheStore<AppSchema>
  private var calls: [StoreCall]
  private var values: ReplayValues?
  private let library: LibraryID
  private var next = 0
  private var reconcile: ReconcileID?

  /// - Throws: `CachePolicyError`.
  init(
    _ calls: ClientCalls, _ policy: ReplayedPolicy, _ schema: SimulationSchema,
    _ values: ReplayValues
  ) throws {
    self.calls = calls.all
    self.values = values
    library = values.library
    store = try CacheStore(composition: policy.composition, schema: AppSchema(schema: schema))
  }

  var weight: Int { store.residentWeight }

  /// The values in the cache.
  var residents: [AppValue] {
    var residents: [AppValue] = []
    store.forEachResidentValue { residents.append($0) }
    return residents
  }

  /// Returns the memory of the entities and of the queries, by the tables' own count; `valueBytes` is the
  /// memory that the values reference.
  func parts(valueBytes: Int) -> (store: Int, queryIndex: Int) {
    let tables = store.footprint
    return (
      tables.key + tables.slot + tables.valuePlaces + tables.history + tables.persistence
        + store.orderBytes + valueBytes,
      tables.queryIndex + tables.reverseIndex
    )
  }

  /// Returns its predicted memory, without callbacks.
  func predictedBytes(_ memory: PredictedMemory) -> Int {
    memory.bytes(of: store, weight: store.residentWeight, countsObservers: false)
  }

  /// Releases the remaining calls, so that only the cache is left.
  mutating func end() {
    calls = []
    values = nil
  }

  /// Releases the cache.
  consuming func close() {}

  /// Performs the next calls on the cache, up to an index.
  mutating func play(through last: Int) {
    while next <= last {
      guard let values else { preconditionFailure("played behind the end") }
      let call = calls[next]
      next += 1
      take(call.kind, values, at: call.at)
      for action in store.takeActions() {
        if case .reconcile(let id, _, _, _) = action { reconcile = id }
      }
    }
  }

  private mutating func take(
    _ call: StoreCall.Kind, _ values: ReplayValues, at now: Instant
  ) {
    switch call {
    case .read(let key, let isRepeated): _ = store.read(key, at: now, isRepeated: isRepeated)
    case .readEntity(let key): _ = store.readEntity(key, library: library, at: now)
    case .observe(let key):
      store.addObserver(of: key, at: now)
      _ = store.read(key, at: now)
    case .unobserve(let key): store.removeObserver(of: key, at: now)
    case .tag(let key, let isTagged): store.tag(key, isTagged, at: now)
    case .invalidate(let key): store.invalidate(key, at: now)
    case .take(let key, let longer): store.take(key, from: longer, at: now)
    case .clear: store.clear(library, at: now)
    case .release(let share): store.releaseMemory(toFraction: share, at: now)
    case .event(let envelope): store.receive(values.envelope(envelope), at: now)
    case .heartbeat(let place): store.receiveHeartbeat(place, at: now)
    case .comeOnline:
      store.setOnline(false, at: now)
      store.setOnline(true, at: now)
    case .wake: store.advance(to: now)
    case .fetched(let answer):
      // The fetches of a store with the same calls have the same numbers.
      if let response = answer.response {
        _ = store.completeFetch(answer.fetch, with: values.response(response), at: now)
      } else {
        _ = store.failFetch(answer.fetch, at: now)
      }
    case .reconciled(let response):
      guard let id = reconcile else { return }
      reconcile = nil
      if let response {
        store.completeReconcile(id, with: values.response(response), at: now)
      } else {
        store.failReconcile(id, at: now)
      }
    }
  }
}
