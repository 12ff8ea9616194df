public import NormalizedCache

/// A cache beside the client that an app has: told of every request, answer and event, it serves nothing and
/// fetches nothing, and reports what it would have done.
///
/// ```swift
/// let shadow = try ShadowCache(composition: policy, schema: schema)
/// let request = await shadow.didRequest(key)
/// // … the app's own client fetches …
/// await shadow.didAnswer(request, with: response, bytes: body.count)
/// print(await shadow.report.total.reads.hitRatio ?? 0)
/// ```
///
/// It decides with the same `CacheStore` as the cache in earnest, on the requests that the present client
/// makes. Two things it cannot know: what views would observe, so that nothing is fetched again by itself,
/// and the answer to a fetch that only it would have made. Where the present client answers a request that
/// the shadow has not, such reads are ``ShadowCounts/unanswered``: the true share of hits may be higher by as
/// many. A gap in the events marks its library stale, since what was missed is not fetched.
///
/// A request costs what a read of the cache costs, and on a hit a copy of its rows until it is answered. At
/// most ``maximumRequests`` are awaited; others are left out of the report, and counted.
public actor ShadowCache<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload

  /// A request that the app's client has made.
  public struct Request: Hashable, Sendable {
    let number: UInt64
  }

  /// The most requests that are awaited at once.
  public static var maximumRequests: Int { 10_000 }

  private struct Awaited {
    var key: QueryKey
    var since: Instant
    /// What the cache would have served at once; `nil`: nothing.
    var served: [VersionedEntity<Payload>]?
  }

  private var store: CacheStore<Schema>
  private let clock: any CacheClock
  private var awaited: [Request: Awaited] = [:]
  private var fetches: [QueryKey: FetchID] = [:]
  private var heard: [StreamID: StreamPosition] = [:]
  private var lastNumber: UInt64 = 0

  /// What it would have done so far.
  public private(set) var report = ShadowReport()

  /// Makes an empty shadow.
  ///
  /// - Parameters:
  ///   - composition: the policy that is tried.
  ///   - schema: what there is to know of the app's data.
  ///   - clock: where time comes from.
  /// - Throws: `CachePolicyError` where the composition cannot be carried out.
  public init(
    composition: CachePolicy, schema: Schema, clock: any CacheClock = ContinuousCacheClock()
  ) throws(CachePolicyError) {
    store = try CacheStore(composition: composition, schema: schema)
    self.clock = clock
  }

  // MARK: What it is told

  /// The app's client was asked for a query, whatever it does about it.
  ///
  /// O(rows).
  ///
  /// - Returns: the request, to be answered.
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

  /// The server answered the app's client.
  ///
  /// O(rows). An unknown request is ignored.
  ///
  /// - Parameters:
  ///   - request: what was asked.
  ///   - response: the answer.
  ///   - bytes: what it took on the wire.
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

  /// The app's client answered by itself, out of what it keeps.
  ///
  /// An unknown request is ignored.
  public func didServe(_ request: Request) {
    guard let asked = awaited.removeValue(forKey: request), asked.served == nil else { return }
    report.noteUnanswered(of: asked.key.method)
    fail(asked.key)
  }

  /// The app's client got no answer.
  ///
  /// An unknown request is ignored.
  public func didFail(_ request: Request) {
    guard let asked = awaited.removeValue(forKey: request) else { return }
    if asked.served != nil { report.noteServedWithoutServer(of: asked.key.method) }
    fail(asked.key)
  }

  /// An event came.
  ///
  /// - Parameters:
  ///   - envelope: the event and its place.
  ///   - library: whose event it is, where the envelope has no place in a stream.
  public func receive(_ envelope: EventEnvelope<Payload>, library: LibraryID? = nil) {
    if let place = envelope.place { hear(place) }
    store.receive(envelope, library: library, at: clock.now)
    settle()
  }

  /// The server said how far its stream has come.
  public func receiveHeartbeat(_ place: EventPlace) {
    hear(place)
    store.receiveHeartbeat(place, at: clock.now)
    settle()
  }

  // MARK: What it does about it

  private func hear(_ place: EventPlace) {
    heard[place.stream] = max(heard[place.stream] ?? place.position, place.position)
  }

  private func fail(_ key: QueryKey) {
    guard let fetch = fetches.removeValue(forKey: key) else { return }
    store.failFetch(fetch, at: clock.now)
    settle()
  }

  /// Keeps the fetches that the store asks for until the app's client has their answers.
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

  /// Whether rows look as the server has them.
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
