public import NormalizedCache

/// Reports what a cache would have done for an app: it receives every request, answer and event of the app's
/// current client, and serves and fetches nothing itself.
///
/// ```swift
/// let shadow = try ShadowCache(composition: policy, schema: schema)
/// let request = await shadow.didRequest(key)
/// // … the app's own client fetches …
/// await shadow.didAnswer(request, with: response, bytes: body.count)
/// print(await shadow.report.total.reads.hitRatio ?? 0)
/// ```
///
/// It decides with the same `CacheStore` as the real cache, on the requests that the current client makes. It
/// cannot know what views would observe, so it never refetches a query by itself. A request that the client serves
/// from its own cache, and the shadow misses, has no known answer: it counts as ``ShadowCounts/unanswered``, and the
/// true hit ratio may be higher by that many. A gap in the events marks its library stale, since missed events are
/// not fetched.
///
/// A request costs as much as a read of the cache, and on a hit a copy of its rows until the answer. At most
/// ``maximumRequests`` may wait for an answer; others are left out of the report, and counted.
public actor ShadowCache<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload

  /// A request that the app's client has made.
  public struct Request: Hashable, Sendable {
    let number: UInt64
  }

  /// The most requests that may wait for an answer at once.
  public static var maximumRequests: Int { 10_000 }

  private struct Awaited {
    var key: QueryKey
    var since: Instant
    /// The rows that the cache would have served without waiting; `nil`: none.
    var served: [VersionedEntity<Payload>]?
  }

  private var store: CacheStore<Schema>
  private let clock: any CacheClock
  private var awaited: [Request: Awaited] = [:]
  private var fetches: [QueryKey: FetchID] = [:]
  private var heard: [StreamID: StreamPosition] = [:]
  private var lastNumber: UInt64 = 0

  /// The results so far.
  public private(set) var report = ShadowReport()

  /// Makes an empty shadow.
  ///
  /// - Parameters:
  ///   - composition: the policy to try.
  ///   - schema: the schema of the app's data.
  ///   - clock: the source of time.
  /// - Throws: `CachePolicyError` if the policy is invalid.
  public init(
    composition: CachePolicy, schema: Schema, clock: any CacheClock = ContinuousCacheClock()
  ) throws(CachePolicyError) {
    store = try CacheStore(composition: composition, schema: schema)
    self.clock = clock
  }

  // MARK: Reports of the app

  /// Records that the app's client was asked for a query, whether it fetches or not.
  ///
  /// O(rows).
  ///
  /// - Returns: the request; end it by one of the calls below.
  public func didRequest(_ key: QueryKey) -> Request {
    lastNumber += 1
    let request = Request(number: lastNumber)
    guard awaited.count < Self.maximumRequests else {
      report.requestsNotFollowed += 1
      return request
    }
    let read = store.read(key, at: clock.now)
    settle()
    report.note(read.outcome, of: key.method, isExpired: read.isExpired)
    let served = read.outcome == .hit ? (store.rows(of: key) ?? []).compactMap(\.self) : nil
    awaited[request] = Awaited(key: key, since: clock.now, served: served)
    return request
  }

  /// Records the server's answer to the app's client.
  ///
  /// O(rows). An unknown request is ignored.
  ///
  /// - Parameters:
  ///   - request: the request that was answered.
  ///   - response: the answer.
  ///   - bytes: its size on the wire.
  public func didAnswer(_ request: Request, with response: FetchResponse<Payload>, bytes: Int) {
    guard let asked = awaited.removeValue(forKey: request) else { return }
    if let served = asked.served {
      let isStale = !shows(served, the: response)
      let waited = asked.since.duration(to: clock.now)
      report.noteSaved(bytes: bytes, waiting: waited, isStale: isStale, of: asked.key.method)
    }
    guard let fetch = fetches.removeValue(forKey: asked.key) else { return }
    store.completeFetch(fetch, with: response, at: clock.now)
    settle()
  }

  /// Records that the app's client answered from its own cache.
  ///
  /// An unknown request is ignored.
  public func didServe(_ request: Request) {
    guard let asked = awaited.removeValue(forKey: request), asked.served == nil else { return }
    report.noteUnanswered(of: asked.key.method)
    fail(asked.key)
  }

  /// Records that the app's client got no answer.
  ///
  /// An unknown request is ignored.
  public func didFail(_ request: Request) {
    guard let asked = awaited.removeValue(forKey: request) else { return }
    if asked.served != nil { report.noteServedWithoutServer(of: asked.key.method) }
    fail(asked.key)
  }

  /// Records an event.
  ///
  /// - Parameters:
  ///   - envelope: the event and its position in the stream.
  ///   - library: the library of the event, if the envelope has no position.
  public func receive(_ envelope: EventEnvelope<Payload>, library: LibraryID? = nil) {
    if let place = envelope.place { hear(place) }
    store.receive(envelope, library: library, at: clock.now)
    settle()
  }

  /// Records a heartbeat, with the server's position in its stream.
  public func receiveHeartbeat(_ place: EventPlace) {
    hear(place)
    store.receiveHeartbeat(place, at: clock.now)
    settle()
  }

  // MARK: Following events

  private func hear(_ place: EventPlace) {
    heard[place.stream] = max(heard[place.stream] ?? place.position, place.position)
  }

  private func fail(_ key: QueryKey) {
    guard let fetch = fetches.removeValue(forKey: key) else { return }
    store.failFetch(fetch, at: clock.now)
    settle()
  }

  /// Keeps the fetches that the store wants until the app's client has their answers.
  private func settle() {
    if let deadline = store.nextDeadline, deadline <= clock.now { store.advance(to: clock.now) }
    var actions = store.takeActions()
    while !actions.isEmpty {
      for action in actions { take(action) }
      actions = store.takeActions()
    }
  }

  private func take(_ action: CacheAction) {
    switch action {
    case .fetch(let fetch, let request):
      if case .query(let key) = request.target { fetches[key] = fetch }
    case .reconcile(let reconcile, let stream, let position, _):
      report.gaps += 1
      store.completeReconcile(
        reconcile, with: .tooOld(now: heard[stream] ?? position), at: clock.now)
    case .notify, .send, .flush:
      break
    }
  }

  /// Whether rows equal the server's answer.
  private func shows(
    _ rows: [VersionedEntity<Payload>], the response: FetchResponse<Payload>
  ) -> Bool {
    response.isNotModified
      || rows.count == response.entities.count
        && zip(rows, response.entities).allSatisfy { row, entity in
          row.key == entity.key && store.schema.areEqual(row.payload, entity.payload)
        }
  }
}
