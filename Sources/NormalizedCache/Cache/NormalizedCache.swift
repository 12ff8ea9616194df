// Re-exported, so that an app gets the rules, limits, statistics and errors with the cache.
public import CacheModel
public import EvictionPolicies
@_exported public import NormalizedCacheCore

/// A normalized cache for an app: entities by key, queries as ordered lists, kept up to date by events.
///
/// The actor performs the decisions of a ``CacheStore``: it fetches from its source (one fetch per query,
/// however many callers wait), reconciles gaps, and notifies observers. Every method runs on the actor;
/// fetches do not. A commit and its callbacks run without suspension, so no reader sees a partial commit.
///
/// ```swift
/// let cache = try NormalizedCache(composition: composition, schema: schema, source: server)
/// let rows = try await cache.query(albums)
/// for await snapshot in await cache.updates(of: albums) { show(snapshot.rows) }
/// ```
public final actor NormalizedCache<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload
  /// Called on the actor during a commit: reads through the first argument see the commit; writes through it
  /// are applied after every observer has been called.
  public typealias Observer = @Sendable (isolated NormalizedCache<Schema>, QueryKey) -> Void

  @usableFromInline var store: CacheStore<Schema>
  @usableFromInline let source: any CacheSource<Payload, Schema.Change>
  @usableFromInline let clock: any CacheClock

  @usableFromInline var waiters: [FetchID: [Waiter]] = [:]
  @usableFromInline var lastIdentifier: UInt64 = 0
  @usableFromInline var rejectionHandler: RejectionHandler?
  // Each access to an unchecked property is one load, one store or one lookup during which nothing else is
  // called, so accesses never overlap; checks would cost every event a dozen tests.

  @exclusivity(unchecked) @usableFromInline var observers = ObserverTable()
  /// Writes requested by callbacks, in order.
  @exclusivity(unchecked) @usableFromInline var postponed:
    [@Sendable (isolated NormalizedCache<Schema>) -> Void] = []
  @exclusivity(unchecked) @usableFromInline var isNotifying = false
  @exclusivity(unchecked) @usableFromInline var actions: [CacheAction] = []
  /// The error of the last fetch of each observed query, until a fetch succeeds.
  @usableFromInline var fetchErrors: [QueryKey: any Error] = [:]
  /// The number of observers that follow fetches too, and the gaps last reported to them.
  @exclusivity(unchecked) @usableFromInline var followers = 0
  @exclusivity(unchecked) @usableFromInline var suspectStreams = 0
  @exclusivity(unchecked) @usableFromInline var timer: (deadline: Instant, task: Task<Void, Never>)?

  /// Whether more than queries is followed, so that each commit notifies ``Followers``.
  @exclusivity(unchecked) @usableFromInline package var isFollowed = false
  @exclusivity(unchecked) @usableFromInline var notifiesFollowers = false
  @usableFromInline var following = Followers()
  @usableFromInline let instrument: (any CacheInstrument)?
  /// The counts last reported to the instrument.
  @exclusivity(unchecked) @usableFromInline var reportedEvictions = 0
  @exclusivity(unchecked) @usableFromInline var reportedGaps = 0
  /// Receives all operations of the store; `nil`: not recorded.
  @exclusivity(unchecked) @usableFromInline var recorder: (any CacheRecorder)?
  @usableFromInline var reads = ReadStatistics()

  @usableFromInline var storageWriter: StorageWriter<Payload, Schema.Change>?
  /// The state of the storage; ``StorageState/none`` if the cache was created without one.
  public internal(set) var storageState = StorageState.none
  /// How much was restored from the storage when the cache was opened; `nil` without a storage, or if it
  /// could not be read, in which case ``storageState`` says why.
  public internal(set) var restoreReport: RestoreReport?
  @usableFromInline var onStorageError: (@Sendable (StorageError) -> Void)?
  @usableFromInline var flushTask: Task<Void, Never>?

  @usableFromInline struct Waiter {
    @usableFromInline var identifier: UInt64
    @usableFromInline var continuation: CheckedContinuation<[VersionedEntity<Payload>], any Error>

    @inlinable init(
      identifier: UInt64, continuation: CheckedContinuation<[VersionedEntity<Payload>], any Error>
    ) {
      self.identifier = identifier
      self.continuation = continuation
    }
  }

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - composition: the policy.
  ///   - schema: the app's data model.
  ///   - source: the server.
  ///   - clock: the source of time.
  ///   - instrument: receives the cache's activity; `nil`: no calls and no cost.
  /// - Throws: ``CachePolicyError`` if the policy is invalid.
  public init(
    composition: CachePolicy, schema: Schema, source: any CacheSource<Payload, Schema.Change>,
    clock: any CacheClock = ContinuousCacheClock(), instrument: (any CacheInstrument)? = nil
  ) throws(CachePolicyError) {
    store = try CacheStore(composition: composition, schema: schema)
    store.replaced.isOn = true
    store.notifications.notifiesOfMore = true
    self.source = source
    self.clock = clock
    self.instrument = instrument
    isFollowed = instrument != nil
  }

  deinit {
    timer?.task.cancel()
    following.end()
    for list in observers.lists {
      for entry in list.observers { entry.stream?.onEnd() }
    }
  }

  @inlinable public var statistics: CacheStatistics { store.statistics }
  /// How reads were answered, by method; all outcomes sum to `statistics.reads`.
  public var readStatistics: ReadStatistics { reads }
  @inlinable public var residentEntities: Int { store.residentEntities }

  /// The number of calls that wait for fetches; for tests.
  package var waitingReads: Int { waiters.values.reduce(0) { $0 + $1.count } }

  /// The number of observers, and of those that follow fetches too; for tests.
  package var observersAndFollowers: [Int] { [observers.count, followers] }

  /// Whether a query is observed; for tests.
  package func isObserved(_ key: QueryKey) -> Bool { observers.isObserved(key) }

  /// The number of replaced values that are still in memory; for tests.
  package var keptValues: Int { store.replaced.count }

  /// Returns the cache's position in a stream, up to which every event was applied; `nil` before the first.
  ///
  /// An app sends it to the server when it reconnects.
  ///
  /// - Complexity: O(streams).
  public func cursor(of stream: StreamID) -> StreamPosition? { store.cursor(of: stream) }

  /// The fetch in flight of a query or an entity; for measurements.
  package func fetch(of target: FetchTarget) -> FetchID? { store.fetch(of: target) }

  /// Whether a reconcile request is in flight; for measurements.
  package var isReconciling: Bool { store.isReconciling }

  // MARK: Events and writes

  /// Applies an event in one commit and notifies observers before it returns.
  ///
  /// Called from a callback, it takes effect after every observer has been called, like every other write.
  ///
  /// - Parameters:
  ///   - envelope: the event and its stream position.
  ///   - library: the library of an event without a stream position.
  ///   - committed: called between the commit and the first observer, for measurements; not called if the
  ///     event comes from a callback.
  @inlinable public func receive(
    _ envelope: consuming EventEnvelope<Payload>, library: LibraryID? = nil,
    committed: (() -> Void)? = nil
  ) {
    guard !isNotifying else {
      postponed.append { [envelope] cache in
        if cache.isFollowed {
          if cache.notifiesFollowers { cache.noteChanges(of: envelope, library: library) }
          cache.record(envelope.event, of: envelope, at: cache.clock.now)
        }
        cache.store.receive(envelope, library: library, at: cache.clock.now)
      }
      return
    }
    let now = clock.now
    if isFollowed {
      if notifiesFollowers { noteChanges(of: envelope, library: library) }
      record(&envelope, at: now)
    }
    store.receive(&envelope, library: library, at: now, asking: &actions)
    committed?()
    carryOutActions()
  }

  /// Receives the server's current stream position.
  @inlinable public func receiveHeartbeat(_ place: EventEnvelope<Payload>.Place) {
    perform { cache in
      if cache.isFollowed { cache.record(.heartbeat(place)) }
      cache.store.receiveHeartbeat(place, at: cache.clock.now)
    }
  }

  /// Writes a confirmed value, unless the cache knows a newer version.
  @inlinable public func updateEntity(_ entity: VersionedEntity<Payload>, library: LibraryID) {
    if isFollowed {
      noteChange(of: [entity.key], in: library)
      recordWrite([entity], deleted: [])
    }
    commit { store, now in store.write(entity, library: library, at: now) }
  }

  /// Deletes an entity; later writes of versions older than `version` are ignored.
  @inlinable public func deleteEntity(_ key: EntityKey, version: Version, library: LibraryID) {
    if isFollowed {
      noteChange(of: [key], in: library)
      recordWrite([], deleted: [(key, version)])
    }
    commit { store, now in store.delete(key, version: version, library: library, at: now) }
  }

  /// Marks matching queries and entities stale, and keeps their data; observed queries are fetched again.
  @inlinable public func invalidate(_ tag: InvalidationTag) {
    if isFollowed { record(.invalidated(tag)) }
    commit { store, now in store.invalidate(tag, at: now) }
  }

  /// Marks one query stale, and keeps its data.
  @inlinable public func invalidate(_ key: QueryKey) {
    if isFollowed { record(.invalidatedQuery(key)) }
    commit { store, now in store.invalidate(key, at: now) }
  }

  @inlinable func commit(_ body: @escaping @Sendable (inout CacheStore<Schema>, Instant) -> Void) {
    guard !isNotifying else {
      postponed.append { cache in body(&cache.store, cache.clock.now) }
      return
    }
    body(&store, clock.now)
    carryOut()
  }

  /// Performs work that concerns more than the store, after the current commit.
  @inlinable func perform(_ body: @escaping @Sendable (isolated NormalizedCache<Schema>) -> Void) {
    guard !isNotifying else {
      postponed.append(body)
      return
    }
    body(self)
    carryOut()
  }

  @inlinable func carryOut() {
    store.takeActions(into: &actions)
    carryOutActions()
  }

  /// Carries out the store's actions: observers first, then writes from callbacks, then the network.
  @inlinable func carryOutActions() {
    var requests: [CacheAction] = []
    isNotifying = true
    var done = 0
    while true {
      for index in actions.indices {
        if case .notify(_, let number) = actions[index] {
          notifyObservers(number)
        } else {
          requests.append(actions[index])
        }
      }
      guard done < postponed.count else { break }
      done += 1
      postponed[done - 1](self)
      store.takeActions(into: &actions)
    }
    postponed.removeAll()
    isNotifying = false
    store.replaced.release()
    for request in requests { begin(request) }
    notifyOfGaps()
    scheduleTimer()
    if isFollowed {
      if !store.recordedOrders.positions.isEmpty { flushRecordedPositions() }
      if notifiesFollowers { notifyFollowers() }
      if let instrument { notify(instrument) }
    }
  }

  /// Reports evictions and gaps of a commit.
  @inlinable func notify(_ instrument: any CacheInstrument) {
    let (evictions, gaps) = (store.statistics.evictions, store.statistics.gapsDetected)
    if evictions > reportedEvictions {
      instrument.didEvict(entities: evictions - reportedEvictions)
      reportedEvictions = evictions
    }
    if gaps > reportedGaps {
      instrument.didDetect(gaps: gaps - reportedGaps)
      reportedGaps = gaps
    }
  }

  @inlinable func notifyObservers(_ number: Int32) {
    let list = observers.lists[Int(number)]
    let entries = ElementsInPlace(list.observers)
    for index in 0..<entries.count { notify(entries[index], of: list.key) }
  }

  /// Calls an observer in place, since a copy would count references.
  @inlinable @inline(__always) func notify(
    _ observer: borrowing InPlace<ObserverTable.Entry>, of key: QueryKey
  ) {
    observer.value.callback(self, key)
  }

  /// Notifies followers that a fetch of the query began or ended.
  @inlinable func notifyOfFetch(_ target: FetchTarget) {
    guard followers > 0, case .query(let key) = target else { return }
    for entry in observers[key] { entry.stream?.onProgress?(self, key) }
  }

  /// Notifies followers when a gap opened or closed, since it changes whether rows are suspect.
  @inlinable func notifyOfGaps() {
    guard followers > 0, store.suspectStreams != suspectStreams else { return }
    suspectStreams = store.suspectStreams
    for list in observers.lists {
      for entry in list.observers { entry.stream?.onProgress?(self, list.key) }
    }
  }

  @inlinable func scheduleTimer() {
    guard let deadline = store.nextDeadline else { return }
    if let timer, timer.deadline <= deadline, timer.deadline > clock.now { return }
    timer?.task.cancel()
    let task = Task { [clock, weak self] in
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      await self?.advance()
    }
    timer = (deadline, task)
  }

  /// Lets the store do what is due; called by the timer.
  @inlinable package func advance() {
    timer = nil
    store.advance(to: clock.now)
    carryOut()
  }
}
