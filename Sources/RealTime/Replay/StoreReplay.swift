import CacheModel
import CacheSimulation
import NormalizedCache

/// A store of an app's values that takes a client's calls, without an actor and without waiting.
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

  /// What the entities take, and what the queries, by the tables' own count; `valueBytes` is what the values
  /// point to.
  func parts(valueBytes: Int) -> (store: Int, queryIndex: Int) {
    let tables = store.footprint
    return (
      tables.key + tables.slot + tables.valuePlaces + tables.history + tables.persistence
        + store.orderBytes + valueBytes,
      tables.queryIndex + tables.reverseIndex
    )
  }

  /// Lets go of what would still be played, so that only the cache is left.
  mutating func end() {
    calls = []
    values = nil
  }

  /// Lets the cache go.
  consuming func close() {}

  /// Gives the cache what comes next, up to a call.
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
      // The numbers of fetches are the same in a store that is given the same.
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
