public import CacheModel
public import EvictionPolicies

/// The cache that decides: events and reads in, actions out; no clock, no waiting, no input or output.
///
/// Two levels: entities by key, and queries as ordered lists of entities, with a reverse index from
/// entity to queries. What to do is returned as ``CacheAction`` values by ``takeActions()``, which a
/// shell carries out: the ``NormalizedCache`` actor for an app, the simulator for an experiment. The
/// same calls with the same arguments give the same actions.
///
/// Every mutating call is one *commit*: a reader between two calls sees all of it or nothing, and a
/// query whose rows it changed is notified once.
///
/// Costs: a read is O(rows); an event item is O(queries that list the entity, or stand in a scope of
/// it), plus O(log rows) comparisons and O(rows) moves for each list that it enters or leaves.
public struct CacheStore<Schema: CacheSchema>: ~Copyable {
  public typealias Payload = Schema.Payload

  public let composition: CachePolicy
  public let schema: Schema
  public var statistics = CacheStatistics()

  // Confirmed state: the tables.
  @usableFromInline var entities = EntityTable<Payload>()
  @usableFromInline var listings = ListingTable()
  @usableFromInline var queries: QueryTable<Schema.Predicate>

  /// What the event at hand does to lists: what the composition says, or its rule for such a batch.
  @usableFromInline var membership: Membership

  // What is kept, and for how long.
  @usableFromInline let limits: CapacityLimits
  @usableFromInline var memory: PredictedMemory
  /// Residents that may be evicted.
  @usableFromInline var evictable: EvictableRows
  /// Residents that no order knows of, because something holds them back; kept under hard limits.
  @usableFromInline var held = HeldRows()
  @usableFromInline var buffer: ReleasedQueries
  @usableFromInline var released = ReleasedEntities()
  @usableFromInline var expiries: Expiries

  // What is heard of the server, and asked of it.
  @usableFromInline var libraries = LibraryTable()
  @usableFromInline var streams = StreamTable<Payload>()
  @usableFromInline var fetches = FetchTable<Payload>()
  @usableFromInline var refetches: Refetches

  /// What users changed and the server has not confirmed: it lies over the tables.
  @usableFromInline var optimistic = OptimisticLayer<Payload, Schema.Change>()

  // What goes out.
  @usableFromInline var current = CommitState()
  @usableFromInline package var notifications: Notifications
  @usableFromInline var actions: [CacheAction] = []
  @usableFromInline var persistence = Persistence()
  @usableFromInline package var replaced = ReplacedValues<Payload>()
  @usableFromInline package var recordedOrders = RecordedOrders()
  @usableFromInline package var planted = DefectHook<PlantedDefect>()

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - composition: the policy, whole.
  ///   - schema: what there is to know of the app's data.
  ///   - seed: for eviction orders that draw.
  /// - Throws: ``CachePolicyError`` where the composition cannot be carried out.
  @inlinable public init(
    composition: CachePolicy, schema: Schema, seed: UInt64 = 0
  ) throws(CachePolicyError) {
    try self.init(
      composition: composition, schema: schema, seed: seed, values: .weight, looksAhead: false,
      wrapping: nil)
  }

  /// The same with an order that is given as a value, or may look ahead, because somebody knows what will
  /// be used.
  ///
  /// - Parameters:
  ///   - composition: the policy, whole.
  ///   - schema: what there is to know of the app's data.
  ///   - seed: for eviction orders that draw.
  ///   - values: what values take in memory, for a limit on it.
  ///   - given: the eviction order, in the place of the one that the composition names.
  ///   - looksAhead: whether the order is given each entity's next use.
  ///   - wrapping: makes the order that is used in the stead of the one it is given, and asks that one;
  ///     `nil`: that one is used itself.
  /// - Throws: ``CachePolicyError`` where the composition cannot be carried out.
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
  /// Bytes of weight, as the schema weighs.
  @inlinable public var residentWeight: Int { entities.residentWeight }
  @inlinable public var cachedQueries: Int { queries.count }

  /// Takes the actions that have accumulated since the last call, in order.
  @inlinable public mutating func takeActions() -> [CacheAction] {
    var taken: [CacheAction] = []
    swap(&taken, &actions)
    return taken
  }

  /// The same into an array that the caller keeps, so that nothing is allocated.
  @inlinable public mutating func takeActions(into taken: inout [CacheAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }

  /// Takes an event as it arrives, and the actions that it asks for: one access to the store, not two.
  ///
  /// What the event holds is taken out of it.
  @inlinable package mutating func receive(
    _ envelope: inout EventEnvelope<Payload>, library: LibraryID?, at now: Instant,
    asking taken: inout [CacheAction]
  ) {
    receive(&envelope, library: library, at: now)
    takeActions(into: &taken)
  }

  /// When ``advance(to:)`` should be called at the latest; `nil`: no need.
  ///
  /// O(1).
  @inlinable public var nextDeadline: Instant? { current.deadline }

  /// The same, looked for; O(streams).
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

  /// Lets time pass: gaps that stayed open too long are reconciled, expired queries and those that
  /// the release buffer held for long enough let go, postponed notifications made, failed fetches tried
  /// again, observed queries polled, abandoned mutations taken back.
  @inlinable public mutating func advance(to now: Instant) {
    beginCommit(at: now)
    for index in streams.indices { closeOverdueGap(inStream: index) }
    giveUpOverdueMutations()
    endCommit()
  }

  /// The latest instant that the store was given.
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

  /// Notifies the observers of a touched query, unless it shows what it showed, or they are notified later.
  @inlinable mutating func notifyObservers(of query: Int32) {
    guard queries[query].isInUse, queries[query].isObserved else { return }
    if optimistic.visible.isWatched, showsSameAsBefore(query) {
      // A row that changed while it was missing is news when it comes back.
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

  /// Notes that what a query shows changed in this commit.
  @inlinable mutating func touchRows(of query: Int32) {
    queries[query].isAsRead = false
    optimistic.visible.unpin(query)
    scheduleNotification(of: query)
  }

  /// Notifies the observers of a query at the end of the commit.
  @inlinable mutating func scheduleNotification(of query: Int32) {
    notifications.touch(query, &queries[query], in: current.number)
  }
}

/// The commit under way, or the last one.
@usableFromInline struct CommitState: Sendable {
  @usableFromInline var number: UInt64 = 0
  /// The latest instant that the store was given.
  @usableFromInline var now = Instant.zero
  /// The earliest of all deadlines, as the last commit left it.
  @usableFromInline var deadline: Instant?
  /// Whether what is being written was pushed by the server, and not asked for.
  @usableFromInline var isApplyingEvents = false
  /// The query that an answer, or an event, is filling; −1: none.
  ///
  /// It is not dropped to make space for itself.
  @usableFromInline var filledQuery: Int32 = -1

  @inlinable init() {}

  /// Begins the next one; time never goes back.
  @inlinable mutating func begin(at instant: Instant) {
    passTime(to: instant)
    number += 1
  }

  @inlinable mutating func passTime(to instant: Instant) { now = max(now, instant) }
}
