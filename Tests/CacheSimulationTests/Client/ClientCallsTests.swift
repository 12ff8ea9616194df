import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

/// The calls of a simulated cache can be repeated on another.
@Suite("Sessions of a cache", .timeLimit(.minutes(30)))
struct ClientCallsTests {
  private static let policies = [
    "lru", "refcount", "ttl", "spacedrive", "swr", "relay", "no-cache",
  ]

  @Test("Another cache that is given the same serves the same reads", arguments: policies)
  func replay(policy: String) throws {
    for seed in 0..<4 as Range<UInt64> {
      let workload = try RandomWorkloadTests.workload(seed: seed)
      let simulation = Simulation(of: workload)
      let composition = try #require(
        Preset.named(policy)?.composition(
          .init(
            capacity: Capacity(entities: 60), maximumQueries: 12,
            freshness: Freshness(timeToLive: .seconds(20)))))
      let calls = try simulation.calls(
        ofClient: 0, policy: policy, composition: composition)
      var cache = try ReplayedCache(
        CacheStore(composition: composition, schema: simulation.schema, seed: workload.seed),
        library: workload.library)
      cache.play(calls)
      // Without a server the available rows are served, whatever the cache says: the harness counts.
      #expect(cache.readsCounted == calls.reads, "seed \(seed)")
      #expect(cache.hits <= calls.hits, "seed \(seed)")
      #expect(Double(calls.hits - cache.hits) <= 0.1 * Double(calls.reads), "seed \(seed)")
      #expect(cache.unasked == 0, "seed \(seed)")
      #expect(calls.all.map(\.at) == calls.all.map(\.at).sorted())
    }
  }

  @Test("Writing calls down changes nothing of the run")
  func isUnseen() throws {
    let workload = try RandomWorkloadTests.workload(seed: 1)
    let composition = try #require(
      Preset.named("lru")?.composition(
        .init(
          capacity: Capacity(entities: 60), maximumQueries: 12, freshness: .neverExpires)))
    let simulation = Simulation(of: workload)
    let calls = try simulation.calls(ofClient: 0, policy: "lru", composition: composition)
    let result = try simulation.run(policy: "lru", composition: composition)
    let client = try #require(result.clients.first)
    #expect(client.reads == calls.reads)
    #expect(client.freshHits <= calls.hits)
  }
}

/// A store that takes a client's calls, and answers nothing by itself.
private struct ReplayedCache: ~Copyable {
  private var store: CacheStore<SimulationSchema>
  private let library: LibraryID
  private var reconcile: ReconcileID?
  private var statisticsBefore: CacheStatistics?
  /// Answers that were not asked for.
  private(set) var unasked = 0

  init(_ store: consuming CacheStore<SimulationSchema>, library: LibraryID) {
    self.store = store
    self.library = library
  }

  var readsCounted: Int { store.statistics.reads - (statisticsBefore?.reads ?? 0) }
  var hits: Int { store.statistics.hits - (statisticsBefore?.hits ?? 0) }

  mutating func play(_ calls: ClientCalls) {
    for call in calls.all {
      if statisticsBefore == nil, call.at >= calls.countsFrom {
        statisticsBefore = store.statistics
      }
      take(call.kind, at: call.at)
      for action in store.takeActions() {
        if case .reconcile(let id, _, _, _) = action { reconcile = id }
      }
    }
  }

  private mutating func take(_ call: StoreCall.Kind, at now: Instant) {
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
    case .event(let envelope): store.receive(envelope, at: now)
    case .heartbeat(let place): store.receiveHeartbeat(place, at: now)
    case .comeOnline:
      store.setOnline(false, at: now)
      store.setOnline(true, at: now)
    case .wake: store.advance(to: now)
    case .fetched(let answer):
      if answer.isAwaited, store.fetch(of: answer.target) != answer.fetch { unasked += 1 }
      if let response = answer.response {
        _ = store.completeFetch(answer.fetch, with: response, at: now)
      } else {
        _ = store.failFetch(answer.fetch, at: now)
      }
    case .reconciled(let response):
      guard let id = reconcile else {
        unasked += 1
        return
      }
      reconcile = nil
      if let response {
        store.completeReconcile(id, with: response, at: now)
      } else {
        store.failReconcile(id, at: now)
      }
    }
  }
}
