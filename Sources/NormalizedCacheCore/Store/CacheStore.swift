public import CacheModel
public import EvictionPolicies

/// The synchronous core of a cache: events and reads in, actions out; without a clock, waiting or I/O.
///
/// It has two levels: entities by key, and queries as ordered lists of entities, with a reverse index from
/// entity to queries. ``takeActions()`` returns the work to do as ``CacheAction`` values, which a shell
/// performs: the ``NormalizedCache`` actor in an app, the simulator in an experiment. The same calls with
/// the same arguments give the same actions.
///
/// Every mutating call is one *commit*: a reader between two calls sees all of it or nothing, and a query
/// whose rows changed is notified once.
///
/// - Complexity: a read is O(rows). An event item is O(queries that list the entity or share a scope with
///   it), plus O(log rows) comparisons and O(rows) moves for each list that it enters or leaves.
public struct CacheStore<Schema: CacheSchema>: ~Copyable {
  public typealias Payload = Schema.Payload

  public let composition: CachePolicy
  public let schema: Schema
  public var statistics = CacheStatistics()

  // Confirmed state: the tables.
  @usableFromInline var entities = EntityTable<Payload>()
  @usableFromInline var listings = ListingTable()
  @usableFromInline var queries: QueryTable<Schema.Predicate>

  /// How the current event changes lists: as the policy says, or its rule for such a batch.
  @usableFromInline var membership: Membership

  // Limits and retention.
  @usableFromInline let limits: CapacityLimits
  @usableFromInline var memory: PredictedMemory
  @usableFromInline var evictable: EvictableRows
  /// Residents outside the order because something retains them; tracked under hard limits.
  @usableFromInline var held = HeldRows()
  @usableFromInline var buffer: ReleasedQueries
  @usableFromInline var released = ReleasedEntities()
  @usableFromInline var expiries: Expiries

  // Streams, libraries and requests.
  @usableFromInline var libraries = LibraryTable()
  @usableFromInline var streams = StreamTable<Payload>()
  @usableFromInline var fetches = FetchTable<Payload>()
  @usableFromInline var refetches: Refetches

  /// Users' changes that the server has not confirmed, on top of the tables.
  @usableFromInline var optimistic = OptimisticLayer<Payload, Schema.Change>()

  // Output of commits.
  @usableFromInline var current = CommitState()
  @usableFromInline package var notifications: Notifications
  @usableFromInline var actions: [CacheAction] = []
  @usableFromInline var persistence = Persistence()
  @usableFromInline package var replaced = ReplacedValues<Payload>()
  @usableFromInline package var recordedOrders = RecordedOrders()
  @usableFromInline package var planted = DefectHook<PlantedDefect>()

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - composition: the policy.
  ///   - schema: the app's data model.
  ///   - seed: the seed of eviction orders that use random numbers.
  /// - Throws: ``CachePolicyError`` if the policy is invalid.
  @inlinable public init(
    composition: CachePolicy, schema: Schema, seed: UInt64 = 0
  ) throws(CachePolicyError) {
    try self.init(
      composition: composition, schema: schema, seed: seed, values: .weight, looksAhead: false,
      wrapping: nil)
  }

  /// Creates an empty store with a given eviction order, or one that looks ahead because future uses are
  /// known.
  ///
  /// - Parameters:
  ///   - composition: the policy.
  ///   - schema: the app's data model.
  ///   - seed: the seed of eviction orders that use random numbers.
  ///   - values: the memory of values, for a memory limit.
  ///   - given: the eviction order, instead of the policy's.
  ///   - looksAhead: whether the order is given each entity's next use.
  ///   - wrapping: makes an order that wraps the chosen one and replaces it; `nil`: none.
  /// - Throws: ``CachePolicyError`` if the policy is invalid.
  @inlinable package init(
    composition: CachePolicy, schema: Schema, seed: UInt64, values: ValueMemory = .weight,
    order given: EvictionPolicyDescriptor? = nil, looksAhead: Bool,
    wrapping: ((any EvictionOrder) -> any EvictionOrder)?
  ) throws(CachePolicyError) {
    try composition.validate()
    let (policy, admission) = try composition.policies(given, looksAhead: looksAhead)
    var composition = composition
    if let given { composition.evictionOrder = given.name }
    self.composition = composition
    membership = composition.membership
    self.schema = schema
    let capacity = policy.isBounded ? composition.capacity : .unlimited
    memory = PredictedMemory(
      model: capacity.memory.map { _ in
        MemoryModel(of: composition, schema: Schema.self, valueStride: values.stride)
      })
    limits = CapacityLimits(
      capacity, kind: composition.limit, retention: composition.retention, values: values,
      bytesPerPlace: memory.model?.bytesPerPlace ?? 0)
    let random = RandomSource(seed: seed)
    let plain = policy.makeOrder(limits.orderCapacity, random.substream("eviction-order"))
    let order = wrapping.map { $0(plain) } ?? plain
    evictable = EvictableRows(
      order: admission.mayReject
        ? admission.guarding(
          order, capacity: limits.orderCapacity, random: random.substream("admission")) : order,
      admission: admission, ofEvents: composition.eventAdmission)
    expiries = Expiries(composition.freshness)
    buffer = ReleasedQueries(composition.releaseBuffer)
    notifications = Notifications(window: composition.coalescingWindow)
    refetches = Refetches(pollInterval: composition.pollInterval)
    queries = QueryTable(
      rememberingDepartures: min(
        StoreLimits.departedQueries, limits.memory / StoreLimits.memoryPerDeparture))
  }

  @inlinable public var residentEntities: Int { entities.residentCount }
  /// The total weight of resident entities by the schema, in bytes.
  @inlinable public var residentWeight: Int { entities.residentWeight }
  @inlinable public var cachedQueries: Int { queries.count }

  /// Returns the actions since the last call, in order, and clears them.
  @inlinable public mutating func takeActions() -> [CacheAction] {
    var taken: [CacheAction] = []
    swap(&taken, &actions)
    return taken
  }

  /// Moves the actions into an array that the caller reuses, so that nothing is allocated.
  @inlinable public mutating func takeActions(into taken: inout [CacheAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }

  /// Receives an event and returns its actions, in one access to the store.
  ///
  /// The event's contents are moved out of it.
  @inlinable package mutating func receive(
    _ envelope: inout EventEnvelope<Payload>, library: LibraryID?, at now: Instant,
    asking taken: inout [CacheAction]
  ) {
    receive(&envelope, library: library, at: now)
    takeActions(into: &taken)
  }

  /// The latest time at which to call ``advance(to:)``; `nil`: not needed.
  ///
  /// O(1).
  @inlinable public var nextDeadline: Instant? { current.deadline }

  /// The earliest deadline, computed; O(streams).
  @inlinable var earliestDeadline: Instant? { earliestDeadline(withPolls: true) }

  @inlinable func earliestDeadline(withPolls: Bool) -> Instant? {
    var next = streams.deadline
    if let release = releaseDeadline { next = min(next ?? release, release) }
    if let fetch = refetches.deadline(withPolls: withPolls) { next = min(next ?? fetch, fetch) }
    if let notice = noticeDeadline { next = min(next ?? notice, notice) }
    if let mutation = optimistic.nextDeadline { next = min(next ?? mutation, mutation) }
    if let flush = persistence.deadline { next = min(next ?? flush, flush) }
    return next
  }

  /// Advances time: reconciles old gaps, releases expired queries and those past the release buffer's age,
  /// sends delayed notifications, retries failed fetches, polls observed queries, and rolls back abandoned
  /// mutations.
  @inlinable public mutating func advance(to now: Instant) {
    beginCommit(at: now)
    for index in streams.indices { closeOverdueGap(inStream: index) }
    giveUpOverdueMutations()
    endCommit()
  }

  /// The latest time passed to the store.
  @inlinable package var now: Instant { current.now }

  @inlinable mutating func beginCommit(at now: Instant) {
    current.begin(at: now)
    if expiries.first <= self.now.nanoseconds { expireQueries() }
    if refetches.retries.first <= self.now.nanoseconds { retryOverdueFetches() }
    if refetches.polls.first <= self.now.nanoseconds { pollDueQueries() }
    if buffer.age < .max { emptyReleaseBuffer() }
    if notifications.window > 0 { closeCoalescingWindows() }
  }

  @inlinable mutating func endCommit() {
    enforceQueryLimit()
    if !released.edited.isEmpty { releaseEdited() }
    if released.take() { enforceCapacity(protecting: nil) }
    if limits.countsMemory { settleMemory() }
    noteLimitUse()
    statistics.peakQueries = max(statistics.peakQueries, queries.count)
    for query in refetches.wanted {
      if queries[query].maySendFetch, fetchToJoin(of: query) == nil { beginFetch(of: query) }
    }
    refetches.forgetWanted()
    if !optimistic.isEmpty { sendNext() }
    for query in notifications.touched { notifyObservers(of: query) }
    notifications.forgetTouched()
    if optimistic.visible.isWatched {
      optimistic.visible.endCommit(showsConfirmed: optimistic.showsConfirmed)
    }
    if persistence.isOn { scheduleFlush() }
    current.deadline = earliestDeadline
  }

  /// Notifies the observers of a touched query, unless it shows the same rows, or the notification is
  /// delayed.
  @inlinable mutating func notifyObservers(of query: Int32) {
    guard queries[query].isInUse, queries[query].isObserved else { return }
    if optimistic.visible.isWatched, showsSameAsBefore(query) {
      // A row that changed while it was missing requires a notification when it returns.
      if queries[query].missing > 0 { queries[query].showsGaps = true }
      return
    }
    if notifications.postpones(query, &queries[query], at: now) { return }
    queries[query].showsGaps = queries[query].missing > 0
    if planted(.notificationSwallowed), notifications.touched.count > 1,
      query == notifications.touched.last
    {
      return
    }
    if planted(.notificationRepeated) { noteNotification(of: query) }
    noteNotification(of: query)
    statistics.notifications += 1
  }

  @inlinable mutating func noteNotification(of query: Int32) {
    actions.append(.notify(queries[query].key, observedAs: queries[query].observedAs))
  }

  @inlinable mutating func touchRows(of query: Int32) {
    queries[query].isAsRead = false
    optimistic.visible.unpin(query)
    scheduleNotification(of: query)
  }

  /// Schedules a notification of a query's observers for the end of the commit.
  @inlinable mutating func scheduleNotification(of query: Int32) {
    notifications.touch(query, &queries[query], in: current.number)
  }
}

/// The current commit, or the last one.
@usableFromInline struct CommitState: Sendable {
  @usableFromInline var number: UInt64 = 0
  /// The latest time passed to the store.
  @usableFromInline var now = Instant.zero
  /// The earliest of all deadlines, after the last commit.
  @usableFromInline var deadline: Instant?
  /// Whether the server has pushed the current write, without a request.
  @usableFromInline var isApplyingEvents = false
  /// The query that an answer or an event is filling; −1: none.
  ///
  /// It is not removed to make space for itself.
  @usableFromInline var filledQuery: Int32 = -1

  @inlinable init() {}

  /// Begins the next commit; time never goes back.
  @inlinable mutating func begin(at instant: Instant) {
    passTime(to: instant)
    number += 1
  }

  @inlinable mutating func passTime(to instant: Instant) { now = max(now, instant) }
}
