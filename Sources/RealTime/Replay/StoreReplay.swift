import CacheModel
import CacheSimulation
import NormalizedCache

/// A store of an app's values that takes a client's inputs, without an actor and without waiting.
struct StoreReplay: ~Copyable {
  private var store: CacheStore<AppSchema>
  private var inputs: [CacheInput]
  private var values: ReplayValues?
  private let library: LibraryID
  private var next = 0
  private var reconcile: ReconcileID?

  /// - Throws: `CachePolicyError`.
  init(
    _ inputs: ClientInputs, _ policy: ReplayedPolicy, _ schema: SimulationSchema,
    _ values: ReplayValues
  ) throws {
    self.inputs = inputs.all
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
    inputs = []
    values = nil
  }

  /// Lets the cache go.
  consuming func close() {}

  /// Gives the cache what comes next, up to an input.
  mutating func play(through last: Int) {
    while next <= last {
      guard let values else { preconditionFailure("played behind the end") }
      let input = inputs[next]
      next += 1
      take(input.kind, values, at: input.at)
      for action in store.takeActions() {
        if case .reconcile(let id, _, _, _) = action { reconcile = id }
      }
    }
  }

  private mutating func take(
    _ input: CacheInput.Kind, _ values: ReplayValues, at now: Instant
  ) {
    switch input {
    case .read(let key, let isRepeated): _ = store.read(key, at: now, isRepeated: isRepeated)
    case .readEntity(let key): _ = store.readEntity(key, library: library, at: now)
    case .observed(let key):
      store.addObserver(of: key, at: now)
      _ = store.read(key, at: now)
    case .unobserved(let key): store.removeObserver(of: key, at: now)
    case .tagged(let key): store.tag(key, true, at: now)
    case .untagged(let key): store.tag(key, false, at: now)
    case .invalidated(let key): store.invalidate(key, at: now)
    case .taken(let key, let longer): store.take(key, from: longer, at: now)
    case .cleared: store.clear(library, at: now)
    case .released(let share): store.releaseMemory(toFraction: share, at: now)
    case .event(let envelope): store.receive(values.envelope(envelope), at: now)
    case .heartbeat(let place): store.receiveHeartbeat(place, at: now)
    case .cameOnline:
      store.setOnline(false, at: now)
      store.setOnline(true, at: now)
    case .timePasses: store.advance(to: now)
    case .answered(let answer):
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
