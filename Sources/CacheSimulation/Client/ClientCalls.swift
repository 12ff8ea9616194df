package import CacheModel
package import NormalizedCacheCore
import Workloads

/// A call that a client's store was given, and when: in keys and values, where ``CacheOperation`` has
/// numbers.
package struct StoreCall: Sendable {
  package var at: Instant
  package var kind: Kind

  package enum Kind: Sendable {
    case read(QueryKey, isRepeated: Bool)
    case readEntity(EntityKey)
    /// Begins to observe a query, and reads it.
    case observe(QueryKey)
    case unobserve(QueryKey)
    case tag(QueryKey, Bool)
    case invalidate(QueryKey)
    case take(QueryKey, from: QueryKey)
    case clear
    case release(toFraction: Double)
    case event(EventEnvelope<Handle>)
    case heartbeat(EventPlace)
    /// The link is up again.
    case comeOnline
    /// A deadline of the cache's own.
    case wake
    case fetched(CacheAnswer)
    /// The answer to a reconcile; `nil`: it failed.
    case reconciled(ReconcileResponse<Handle>?)
  }
}

/// The answer to a fetch.
package struct CacheAnswer: Sendable {
  package var fetch: FetchID
  package var target: FetchTarget
  /// Which of the requests for this target that are under way it answers, counted from the oldest.
  package var request: Int
  /// Whether the cache still waits for it.
  package var isAwaited: Bool
  /// `nil`: it failed.
  package var response: FetchResponse<Handle>?
}

/// Where a simulation writes down what its store is given.
final class CallLog {
  private(set) var calls: [StoreCall] = []
  /// The requests under way, the oldest first.
  private var requests: [FetchTarget: [FetchID]] = [:]

  func note(_ call: StoreCall.Kind, at now: Instant) {
    calls.append(StoreCall(at: now, kind: call))
  }

  func note(_ request: PendingEvent.Request) {
    guard case .fetch(let id, let asked) = request else { return }
    requests[asked.target, default: []].append(id)
  }

  /// Notes that a request is answered.
  ///
  /// - Returns: its place among those for the target.
  func takeRequest(_ id: FetchID, for target: FetchTarget) -> Int {
    guard let place = requests[target]?.firstIndex(of: id) else {
      preconditionFailure("an answer to a request that was not made")
    }
    requests[target]?.remove(at: place)
    return place
  }
}

/// What one client's cache was given, and what its user got of it.
///
/// A cache of the same composition that is given the same answers the same, whatever its values are:
/// so a scenario can be played to a cache of an app's own values, in real time.
package struct ClientCalls: Sendable {
  /// In order.
  package var all: [StoreCall]
  /// When the warm-up is over: what is read before counts nowhere.
  package var countsFrom: Instant
  /// Reads of the user after the warm-up, and those that were served without waiting.
  package var reads: Int
  package var hits: Int
}

extension Simulation {
  /// What a client's cache is given from the beginning to the end of the workload, all in one process.
  ///
  /// - Throws: what ``run(policy:composition:order:timelineParts:)`` throws.
  package func calls(
    ofClient client: Int, policy: String, composition: CachePolicy
  ) throws -> ClientCalls {
    let log = CallLog()
    var run = try ClientSimulation(
      self, client: client, policy: policy, composition: composition,
      uses: try uses(ofClient: client, composition), inOneProcess: true)
    run.calls = log
    try run.run()
    let reads = run.tally.ofUser
    return ClientCalls(
      all: log.calls, countsFrom: .zero.advanced(by: workload.warmUp), reads: reads.reads,
      hits: reads.hits)
  }
}

extension ClientSimulation where Cache: ~Copyable {
  func noteAnswer(
    _ fetch: FetchID, to target: FetchTarget, _ response: FetchResponse<Handle>?
  ) {
    guard let calls else { return }
    calls.note(
      .fetched(
        CacheAnswer(
          fetch: fetch, target: target, request: calls.takeRequest(fetch, for: target),
          isAwaited: store.fetch(of: target) == fetch, response: response)),
      at: now)
  }
}
