package import CacheModel
package import NormalizedCacheCore
import Workloads

/// A call of a client's store and its time, in keys and values; ``CacheOperation`` uses numbers.
package struct StoreCall: Sendable {
  package var at: Instant
  package var kind: Kind

  package enum Kind: Sendable {
    case read(QueryKey, isRepeated: Bool)
    case readEntity(EntityKey)
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
    /// A deadline of the cache has come.
    case wake
    case fetched(CacheAnswer)
    /// The answer to a reconcile; `nil`: it failed.
    case reconciled(ReconcileResponse<Handle>?)
  }
}

package struct CacheAnswer: Sendable {
  package var fetch: FetchID
  package var target: FetchTarget
  /// The request that it answers, counted from the oldest in flight for this target.
  package var request: Int
  /// Whether the cache still waits for it.
  package var isAwaited: Bool
  /// `nil`: it failed.
  package var response: FetchResponse<Handle>?
}

final class CallLog {
  private(set) var calls: [StoreCall] = []
  /// The requests in flight, oldest first.
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
  /// - Returns: its index among those for the target.
  func takeRequest(_ id: FetchID, for target: FetchTarget) -> Int {
    guard let place = requests[target]?.firstIndex(of: id) else {
      preconditionFailure("an answer to a request that was not made")
    }
    requests[target]?.remove(at: place)
    return place
  }
}

/// The calls of one client's cache, and the results of its user's reads.
///
/// A cache with the same policy and the same calls gives the same answers, whatever its values: so a scenario
/// can be replayed to a cache with an app's own values, in real time.
package struct ClientCalls: Sendable {
  /// All calls in order.
  package var all: [StoreCall]
  /// The end of the warm-up: earlier reads are not counted.
  package var countsFrom: Instant
  /// The user's reads after the warm-up, and those served without waiting.
  package var reads: Int
  package var hits: Int
}

extension Simulation {
  /// Returns the calls of a client's cache over the whole workload, in one process.
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
