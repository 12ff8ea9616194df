public import CacheModel
public import DequeModule
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

  public let composition: PolicyComposition
  public let schema: Schema
  public var statistics = CacheStatistics()

  @usableFromInline var entities = EntityTable<Payload>()
  @usableFromInline var listings = ListingTable()
  @usableFromInline var queries = QueryTable<Schema.Predicate>()
  @usableFromInline let order: any EvictionOrder
  /// Residents that no order knows of, because they have arrived and nobody has used them yet.
  @usableFromInline var probation = ProbationQueue()
  /// Residents that no order knows of, because something holds them back; kept under hard limits.
  @usableFromInline var held = HeldRows()
  /// The query that an answer, or an event, is filling; −1: none.
  ///
  /// It is not dropped to make space for itself.
  @usableFromInline var filledQuery: Int32 = -1
  /// What predicts the memory of the tables, where it is limited.
  @usableFromInline let memoryModel: MemoryModel?
  /// What the tables are predicted to take, as of the last look at them, in bytes.
  @usableFromInline var predictedTables = 0
  @usableFromInline let limits: CapacityLimits
  /// For how long a single entity is fresh after it was written, in nanoseconds.
  @usableFromInline let entityLifetime: Int64
  /// For how long what has expired may be served, one way or another, in nanoseconds.
  @usableFromInline let expiredUse: Int64

  @usableFromInline var libraries: [LibraryState] = []
  /// Whether the store ever took something whose library nobody told.
  @usableFromInline var holdsUnowned = false
  /// Counts the verifications of all libraries.
  @usableFromInline var verifications: UInt32 = 0
  @usableFromInline var streams: [StreamState<Payload>] = []
  @usableFromInline var departed: DepartedQueries
  // Some axes in the form in which every event asks for them: the whole composition is large.
  @usableFromInline let eventAdmission: EventAdmission
  /// Whether the order is asked before something arrives at a full cache.
  @usableFromInline let asksAdmission: Bool
  /// Whether all that arrives stands on probation at first, and not only what events bring.
  @usableFromInline let admitsOnProbation: Bool
  /// For how long the release buffer holds a query, in nanoseconds; `Int64.max`: for any time.
  @usableFromInline let releaseAge: Int64
  /// What a read that nobody observes does to the release buffer, where there is one.
  @usableFromInline let bufferedReads: ReleaseBuffer.Reads
  /// The shortest time between two notifications of one query, in nanoseconds.
  @usableFromInline let coalescingWindow: Int64
  @usableFromInline var tombstones: Deque<Tombstone> = []
  /// When results are of no more use, because they have expired.
  @usableFromInline var expiries = QueryDeadlines()
  /// Whether anything was released in this commit that may now be evicted.
  @usableFromInline var hasReleased = false
  /// Entities whose last pending edit ended in this commit.
  @usableFromInline var slotsToRelease: [Slot] = []
  /// When observed queries whose fetch came to nothing are fetched again.
  @usableFromInline var retries = QueryDeadlines()
  /// When observed queries are fetched again by a timer.
  @usableFromInline var polls: QueryPolls

  @usableFromInline var fetches: [FetchID: Fetch] = [:]
  @usableFromInline var fetchOfTarget: [FetchTarget: FetchID] = [:]
  @usableFromInline var lastNumber: UInt64 = 0
  /// What changed while fetches are in flight, so that a response that was read before can be
  /// brought up to date.
  ///
  /// Empty while none is.
  @usableFromInline var recentChanges = RecentChanges<Payload>()

  /// What users changed and the server has not confirmed: it lies over the tables, which hold
  /// confirmed state only.
  @usableFromInline var pending = PendingMutations<Payload, Schema.Change>()
  /// Which of the queued mutations is sent.
  @usableFromInline var sending = Outbox()
  /// Whether what queries show may differ from their confirmed rows in this commit.
  @usableFromInline var watchesShown = false
  /// What observed queries showed before this commit, as far as it may have changed.
  @usableFromInline var shownBefore: [Int32: [ShownRow<Payload>]] = [:]
  /// Where pending rows stand beside rows that lost their values, by query.
  @usableFromInline var shownPlaces: [Int32: ShownPlaces<Payload>] = [:]
  /// Grows with each change of what pending edits show.
  @usableFromInline var overlayRevision: UInt64 = 0
  /// What is to be written to a storage, and when; `nil`: there is none.
  @usableFromInline var writeBehind: WriteBehindState?
  @usableFromInline var inFlight = ChangesInFlight()
  /// Whether the store holds what was stored, and nothing of that was left out.
  @usableFromInline var isRestoredWhole = false

  /// Whether values that are replaced live on until ``releaseReplacedValues()``: a shell that tells
  /// observers first lets them not wait while texts are freed that nobody needs any longer.
  @usableFromInline var keepsReplacedValues = false
  @usableFromInline var replacedValues: [Payload] = []

  @usableFromInline var now = Instant.zero
  /// The earliest of all deadlines, as the last commit left it.
  @usableFromInline var deadline: Instant?
  /// The number of the current commit.
  @usableFromInline var commit: UInt64 = 0
  /// Whether what is being written was pushed by the server, and not asked for.
  @usableFromInline var isApplyingEvents = false
  /// Queries whose rows the current commit changed.
  @usableFromInline var touched: [Int32] = []
  /// Observed queries that became stale and want a fetch.
  @usableFromInline var wantingFetch: [Int32] = []
  @usableFromInline var actions: [CacheAction] = []
  @usableFromInline var hitEntries: [EvictionEntry] = []
  #if PLANTED_DEFECTS
    /// The mistake that this store makes on purpose.
    @usableFromInline package var plantedDefect: PlantedDefect?
  #endif

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - composition: the policy, whole.
  ///   - schema: what there is to know of the app's data.
  ///   - seed: for eviction orders that draw.
  /// - Throws: ``CompositionError`` where the composition cannot be carried out.
  @inlinable public init(
    composition: PolicyComposition, schema: Schema, seed: UInt64 = 0
  ) throws(CompositionError) {
    try self.init(
      composition: composition, schema: schema, seed: seed, values: .weight, foresight: nil)
  }

  /// The same with an order that may look ahead, because somebody knows what will be used.
  ///
  /// - Parameters:
  ///   - composition: the policy, whole.
  ///   - schema: what there is to know of the app's data.
  ///   - seed: for eviction orders that draw.
  ///   - values: what values take in memory, for a limit on it.
  ///   - foresight: tells the order that it is given of each entity's next use, and is used in its
  ///     stead; `nil`: nobody knows.
  /// - Throws: ``CompositionError`` where the composition cannot be carried out.
  @inlinable package init(
    composition: PolicyComposition, schema: Schema, seed: UInt64, values: ValueMemory = .weight,
    foresight: ((any EvictionOrder) -> any EvictionOrder)?
  ) throws(CompositionError) {
    try composition.validate()
    let (policy, admission) = try composition.policies(looksAhead: foresight != nil)
    self.composition = composition
    self.schema = schema
    let capacity = policy.isBounded ? composition.capacity : .unlimited
    memoryModel = capacity.memory.map { _ in
      MemoryModel(of: composition, schema: Schema.self, valueStride: values.stride)
    }
    limits = CapacityLimits(
      capacity, kind: composition.limit, retention: composition.retention, values: values,
      bytesPerPlace: memoryModel?.bytesPerPlace ?? 0)
    let random = RandomSource(seed: seed)
    let plain = policy.makeOrder(limits.orderCapacity, random.substream("eviction-order"))
    let order = foresight.map { $0(plain) } ?? plain
    admitsOnProbation = admission.holdsOnProbation
    asksAdmission = admission.mayReject
    self.order =
      asksAdmission
      ? admission.guarding(
        order, capacity: limits.orderCapacity, random: random.substream("admission")) : order
    entityLifetime = composition.freshness.timeToLive?.wholeNanoseconds ?? .max
    expiredUse =
      max(
        composition.freshness.staleWhileRevalidate, composition.freshness.staleIfError
      ).wholeNanoseconds
    eventAdmission = composition.eventAdmission
    releaseAge = composition.releaseBuffer?.age?.wholeNanoseconds ?? .max
    let buffer = composition.releaseBuffer.flatMap { $0.isNone ? nil : $0 }
    bufferedReads = buffer?.reads ?? .ignored
    coalescingWindow = composition.coalescingWindow.wholeNanoseconds
    polls = QueryPolls(interval: composition.pollInterval)
    departed = DepartedQueries(
      limit: min(StoreLimits.departedQueries, limits.memory / StoreLimits.memoryPerDeparture))
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

  /// When ``advance(to:)`` should be called at the latest; `nil`: no need.
  ///
  /// O(1).
  @inlinable public var nextDeadline: Instant? { deadline }

  /// The same, looked for; O(streams).
  @inlinable var earliestDeadline: Instant? {
    let next = earliestDeadlineBesidesPolls
    guard polls.first < .max else { return next }
    return min(next ?? .distantFuture, Instant(nanoseconds: polls.first))
  }

  @inlinable var earliestDeadlineBesidesPolls: Instant? {
    var next: Instant?
    for index in streams.indices {
      if let gap = streams[index].deadline { next = min(next ?? gap, gap) }
    }
    if let release = releaseDeadline { next = min(next ?? release, release) }
    if retries.first < .max {
      next = min(next ?? .distantFuture, Instant(nanoseconds: retries.first))
    }
    if let notice = noticeDeadline { next = min(next ?? notice, notice) }
    if let mutation = mutationDeadline { next = min(next ?? mutation, mutation) }
    if let flush = writeBehind?.deadline { next = min(next ?? flush, flush) }
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

  @inlinable mutating func beginCommit(at now: Instant) {
    self.now = max(self.now, now)
    commit += 1
    if expiries.first <= self.now.nanoseconds { expireQueries() }
    if retries.first <= self.now.nanoseconds { retryOverdueFetches() }
    if polls.first <= self.now.nanoseconds { pollDueQueries() }
    if releaseAge < .max { emptyReleaseBuffer() }
    if coalescingWindow > 0 { closeCoalescingWindows() }
  }

  @inlinable mutating func endCommit() {
    enforceQueryLimit()
    if !slotsToRelease.isEmpty { releaseEdited() }
    enforceCapacityAfterReleases()
    if limits.countsMemory { settleMemory() }
    noteLimitUse()
    statistics.peakQueries = max(statistics.peakQueries, queries.count)
    for query in wantingFetch {
      if queries[query].wantsFetch { beginFetch(of: query) }
    }
    wantingFetch.removeAll(keepingCapacity: true)
    if !pending.isEmpty { sendNext() }
    for query in touched where queries[query].isInUse && queries[query].isObserved {
      if watchesShown, showsSameAsBefore(query) {
        // A row that changed while it was missing is news when it comes back.
        if queries[query].missing > 0 { queries[query].showsGaps = true }
        continue
      }
      if coalescingWindow > 0, postponesNotice(of: query) { continue }
      queries[query].showsGaps = queries[query].missing > 0
      #if PLANTED_DEFECTS
        if plantedDefect == .notificationSwallowed, touched.count > 1, query == touched.last {
          continue
        }
        if plantedDefect == .notificationRepeated { actions.append(.notify(queries[query].key)) }
      #endif
      actions.append(.notify(queries[query].key))
      statistics.notifications += 1
    }
    touched.removeAll(keepingCapacity: true)
    if watchesShown { endWatching() }
    if writeBehind != nil { scheduleFlush() }
    deadline = earliestDeadline
  }

  /// Notes that what a query shows changed in this commit.
  @inlinable mutating func touchRows(of query: Int32) {
    queries[query].isAsRead = false
    unpinPlaces(in: query)
    tellObservers(of: query)
  }

  @inlinable mutating func tellObservers(of query: Int32) {
    guard queries[query].touchedInCommit != commit else { return }
    queries[query].touchedInCommit = commit
    touched.append(query)
  }

  @inlinable mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }
}

/// The bounds that every store keeps, whatever its composition.
@usableFromInline enum StoreLimits {
  /// Queries of which it is remembered why they left.
  @usableFromInline static let departedQueries = 65_536
  /// Deletions remembered, so that older writes stay dead.
  @usableFromInline static let tombstones = 16_384
  /// Where memory is limited, one departed query is remembered for each so many bytes of it, and one
  /// deletion: each takes a thirtieth of them, so that history takes a small part of the limit.
  @usableFromInline static let memoryPerDeparture = 8_192
  @usableFromInline static let memoryPerTombstone = 4_096
  /// Changes remembered while fetches are in flight.
  @usableFromInline static let recentChanges = 8_192
  /// Streams that are followed; the events of any more are applied as they come, and may have gaps.
  @usableFromInline static let streams = 1_024
  /// Libraries that are told apart; any more share the last of these, and are stale together.
  @usableFromInline static let libraries = 1_024
  /// Events held back behind a gap.
  @usableFromInline static let waitingEvents = 1_024
  /// Partial invalidations remembered for single entities.
  @usableFromInline static let notices = 32
  /// Bulk operations remembered, so that one marks once.
  @usableFromInline static let bulkTokens = 256
  /// Mutations that are neither committed nor rolled back.
  @usableFromInline static let pendingMutations = 1_024
  /// Edits in all of them together.
  @usableFromInline static let pendingEdits = 16_384
  /// Keys of the client's own of which the server's is remembered.
  @usableFromInline static let keyAliases = 4_096
  /// Replaced values that live on until observers have been told.
  @usableFromInline static let replacedValues = 16
  /// Removals remembered for a storage; beyond them it is written anew.
  @usableFromInline static let removedKeys = 32_768
}

@usableFromInline struct Tombstone {
  @usableFromInline var slot: Int32
  @usableFromInline var version: Version
  @inlinable init(slot: Int32, version: Version) {
    self.slot = slot
    self.version = version
  }
}

/// Why queries that are no longer cached are not, for a bounded number of them, oldest forgotten
/// first.
@usableFromInline struct DepartedQueries {
  @usableFromInline var causes: [QueryKey: ReadOutcome] = [:]
  @usableFromInline var order: Deque<QueryKey> = []
  @usableFromInline let limit: Int

  @inlinable init(limit: Int) {
    self.limit = limit
  }

  @inlinable mutating func note(_ key: QueryKey, cause: ReadOutcome) {
    if causes.updateValue(cause, forKey: key) == nil {
      order.append(key)
      if order.count > limit, let oldest = order.popFirst() { causes[oldest] = nil }
    }
  }

  @inlinable func cause(of key: QueryKey) -> ReadOutcome { causes[key] ?? .missCold }
}
