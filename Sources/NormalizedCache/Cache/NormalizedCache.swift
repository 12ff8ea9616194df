// An app has the rules, limits, statistics and errors of the cache with the cache.
public import CacheModel
public import EvictionPolicies
@_exported public import NormalizedCacheCore

/// A normalized cache for an app: entities by key, queries as ordered lists, kept up to date by events.
///
/// The actor does what ``CacheStore`` decides: it fetches through its source (one fetch per query,
/// however many wait), reconciles gaps, and notifies observers. Isolation: every method runs on the
/// actor; fetches run beside it. A commit and the callbacks that it causes happen without suspension,
/// so no reader sees half of one.
///
/// ```swift
/// let cache = try NormalizedCache(composition: composition, schema: schema, source: server)
/// let rows = try await cache.query(albums)
/// for await snapshot in await cache.updates(of: albums) { show(snapshot.rows) }
/// ```
public final actor NormalizedCache<Schema: CacheSchema> {
  public typealias Payload = Schema.Payload
  /// Called on the actor, on the committing path: reads through its first argument see the commit;
  /// writes through it are carried out after every observer has been called.
  public typealias Observer = @Sendable (isolated NormalizedCache<Schema>, QueryKey) -> Void

  @usableFromInline var store: CacheStore<Schema>
  @usableFromInline let source: any CacheSource<Payload, Schema.Change>
  @usableFromInline let clock: any CacheClock

  @usableFromInline var waiters: [FetchID: [Waiter]] = [:]
  @usableFromInline var lastIdentifier: UInt64 = 0
  @usableFromInline var rejectionHandler: RejectionHandler?
  // Each access to what is unchecked here is one load or store, or looks a key up, during which nothing
  // else is called, so two never overlap: every event would pay for a dozen checks.

  @exclusivity(unchecked) @usableFromInline var observers = ObserverTable()
  /// Writes that callbacks asked for, in order.
  @exclusivity(unchecked) @usableFromInline var postponed:
    [@Sendable (isolated NormalizedCache<Schema>) -> Void] = []
  @exclusivity(unchecked) @usableFromInline var isNotifying = false
  @exclusivity(unchecked) @usableFromInline var actions: [CacheAction] = []
  /// Why the last fetch of an observed query failed, until one succeeds.
  @usableFromInline var fetchErrors: [QueryKey: any Error] = [:]
  /// Observers that follow fetches too, and what they last received of gaps.
  @exclusivity(unchecked) @usableFromInline var followers = 0
  @exclusivity(unchecked) @usableFromInline var suspectStreams = 0
  @exclusivity(unchecked) @usableFromInline var timer: (deadline: Instant, task: Task<Void, Never>)?

  /// Whether somebody follows more than queries, and is notified after each commit: see ``Followers``.
  @exclusivity(unchecked) @usableFromInline package var isFollowed = false
  /// Whether somebody follows entities or libraries.
  @exclusivity(unchecked) @usableFromInline var notifiesFollowers = false
  @usableFromInline var following = Followers()
  @usableFromInline let instrument: (any CacheInstrument)?
  /// What the instrument received last.
  @exclusivity(unchecked) @usableFromInline var reportedEvictions = 0
  @exclusivity(unchecked) @usableFromInline var reportedGaps = 0
  /// Receives all that the store receives; `nil`: not recorded.
  @exclusivity(unchecked) @usableFromInline var recorder: (any CacheRecorder)?
  @usableFromInline var reads = ReadStatistics()

  @usableFromInline var storageWriter: StorageWriter<Payload, Schema.Change>?
  /// How the cache stands with its storage, if it was opened with one.
  public internal(set) var storageState = StorageState.none
  /// What was taken of what its storage held, when it was opened; `nil`: there is no storage, or it could
  /// not be read, and ``storageState`` says why.
  public internal(set) var restoreReport: RestoreReport?
  @usableFromInline var onStorageError: (@Sendable (StorageError) -> Void)?
  /// The write under way.
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

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - composition: the policy, whole.
  ///   - schema: what there is to know of the app's data.
  ///   - source: the server.
  ///   - clock: where time comes from.
  ///   - instrument: notified of what the cache does; `nil`: no such calls, and no cost.
  /// - Throws: ``CachePolicyError`` where the composition cannot be carried out.
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
  /// How reads were answered, for each method; the outcomes of all sum to `statistics.reads`.
  public var readStatistics: ReadStatistics { reads }
  @inlinable public var residentEntities: Int { store.residentEntities }

  /// How many calls wait for fetches; for tests.
  package var waitingReads: Int { waiters.values.reduce(0) { $0 + $1.count } }

  /// How many observers there are, and how many of them follow fetches too; for tests.
  package var observersAndFollowers: [Int] { [observers.count, followers] }

  /// Whether anybody watches a query; for tests.
  package func isObserved(_ key: QueryKey) -> Bool { observers.isObserved(key) }

  /// How many replaced values live on; for tests.
  package var keptValues: Int { store.replaced.count }

  /// Where the cache stands in a stream: the last position up to which everything was applied; `nil`
  /// before anything was heard of it.
  ///
  /// What an app sends its server when it connects again. O(streams).
  public func cursor(of stream: StreamID) -> StreamPosition? { store.cursor(of: stream) }

  /// The fetch of a query or an entity that is under way; for measurements.
  package func fetch(of target: FetchTarget) -> FetchID? { store.fetch(of: target) }

  /// Whether an answer of a stream's reconcile is awaited; for measurements.
  package var isReconciling: Bool { store.isReconciling }

  // MARK: Events and writes

  /// Applies an event in one commit and notifies observers before it returns.
  ///
  /// From a callback: after every observer has been called, like every other write.
  ///
  /// - Parameters:
  ///   - envelope: the event and its place.
  ///   - library: whose event it is, where the envelope has no place in a stream.
  ///   - committed: called between the commit and the first observer; for measurements. Not called
  ///     where the event comes from a callback.
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

  /// The server says how far its stream has come.
  @inlinable public func receiveHeartbeat(_ place: EventEnvelope<Payload>.Place) {
    perform { cache in
      if cache.isFollowed { cache.record(.heartbeat(place)) }
      cache.store.receiveHeartbeat(place, at: cache.clock.now)
    }
  }

  /// Writes a value that is confirmed; an older version than the known one is not taken.
  @inlinable public func updateEntity(_ entity: VersionedEntity<Payload>, library: LibraryID) {
    if isFollowed {
      noteChange(of: [entity.key], in: library)
      recordWrite([entity], deleted: [])
    }
    commit { store, now in store.write(entity, library: library, at: now) }
  }

  /// Deletes an entity; writes older than `version` stay dead.
  @inlinable public func deleteEntity(_ key: EntityKey, version: Version, library: LibraryID) {
    if isFollowed {
      noteChange(of: [key], in: library)
      recordWrite([], deleted: [(key, version)])
    }
    commit { store, now in store.delete(key, version: version, library: library, at: now) }
  }

  /// Marks stale what the tag matches and keeps the data; observed queries are fetched again.
  @inlinable public func invalidate(_ tag: InvalidationTag) {
    if isFollowed { record(.invalidated(tag)) }
    commit { store, now in store.invalidate(tag, at: now) }
  }

  /// Marks one query stale and keeps its data.
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

  /// The same for what concerns more than the store.
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

  /// Does what the store asked for: observers first, then what callbacks wrote, then the network.
  @inlinable func carryOutActions() {
    var requests: [CacheAction] = []
    isNotifying = true
    while true {
      for index in actions.indices {
        if case .notify(_, let number) = actions[index] {
          notifyObservers(number)
        } else {
          requests.append(actions[index])
        }
      }
      guard !postponed.isEmpty else { break }
      postponed.removeFirst()(self)
      store.takeActions(into: &actions)
    }
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

  /// Reports what a commit has evicted, and of the gaps that it found.
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

  /// Notifies the observers of the query that has a number of theirs.
  @inlinable func notifyObservers(_ number: Int32) {
    let list = observers.lists[Int(number)]
    let entries = ElementsInPlace(list.observers)
    for index in 0..<entries.count { notify(entries[index], of: list.key) }
  }

  /// Calls an observer; in place, since a copy counts references to what it holds.
  @inlinable @inline(__always) func notify(
    _ observer: borrowing InPlace<ObserverTable.Entry>, of key: QueryKey
  ) {
    observer.value.callback(self, key)
  }

  /// Notifies followers that a query is fetched, or no longer.
  @inlinable func notifyOfFetch(_ target: FetchTarget) {
    guard followers > 0, case .query(let key) = target else { return }
    for entry in observers[key] { entry.stream?.onProgress?(self, key) }
  }

  /// Notifies followers when a gap opened or closed, since what they show is suspect, or no longer.
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

  /// Lets the cache do what is due: its timer calls this.
  @inlinable package func advance() {
    timer = nil
    store.advance(to: clock.now)
    carryOut()
  }
}
