public import CacheModel
public import DequeModule
public import HeapModule

/// What users changed and the server has not confirmed: pending mutations in order, their edits by
/// entity, which of them are sent, and what is remembered of the rows that queries show meanwhile.
///
/// It holds edits, never results. What is visible is computed from the confirmed state and these edits
/// whenever somebody looks, so taking a mutation out is all that a rollback is.
///
/// A mutation is found, added and taken out at the cost of its own edits and those of the entities
/// that it edits, however many others are pending; O(log mutations) on top of that.
@usableFromInline struct OptimisticLayer<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Entry = PendingMutation<Payload, Change>
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  /// In the order in which they began.
  @usableFromInline var entries: Deque<Entry> = []
  @usableFromInline var edits = EditTable<Payload, Change>()
  @usableFromInline var aliases = KeyAliases()
  @usableFromInline var outbox = Outbox()
  @usableFromInline var visible = VisibleRows<Payload, Change>()
  /// How many count towards the limit on pending mutations.
  @usableFromInline var limitedCount = 0
  @usableFromInline var numbers: [MutationToken: UInt64] = [:]
  @usableFromInline var lastNumber: UInt64 = 0
  /// The numbers of the queued ones, in order.
  @usableFromInline var queue: Deque<UInt64> = []
  /// When they are given up; also of some that have ended since, but the first is pending.
  @usableFromInline var deadlines = Heap<MutationDeadline>()

  @inlinable init() {}

  @inlinable var isEmpty: Bool { entries.isEmpty }

  @inlinable subscript(index: Int) -> Entry { entries[index] }

  /// In the order in which they began.
  @inlinable var tokens: [MutationToken] { entries.map(\.mutation.token) }

  /// Whether what is visible is the confirmed state.
  @inlinable var showsConfirmed: Bool { edits.count == 0 }

  @inlinable func hasEdits(of key: EntityKey) -> Bool { edits.count > 0 && edits[key] != nil }

  /// The pending edits of one entity in order.
  @inlinable func edits(of key: EntityKey) -> [Edit] {
    edits.count > 0 ? edits[key]?.edits ?? [] : []
  }

  @inlinable func index(of token: MutationToken) -> Int? {
    numbers[token].flatMap { index(of: $0) }
  }

  @inlinable func index(of number: UInt64) -> Int? {
    let index = Self.firstIndex(in: entries) { $0.number >= number }
    return index < entries.endIndex && entries[index].number == number ? index : nil
  }

  /// The first of those that satisfy a condition which no earlier one does, by bisection.
  @inlinable static func firstIndex<Element>(
    in list: Deque<Element>, where isReached: (Element) -> Bool
  ) -> Int {
    var low = list.startIndex
    var high = list.endIndex
    while low < high {
      let middle = (low + high) / 2
      if isReached(list[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The entities that a mutation edits; where names change, all that are edited, since any of their
  /// values may name another.
  @inlinable func editedKeys(
    at index: Int?, renamedBy keys: [EntityKey: EntityKey] = [:]
  ) -> [EntityKey] {
    let edited = index.map { entries[$0].mutation.edits.map(\.key) } ?? []
    guard !keys.isEmpty else { return edited }
    let all = edits.keys
    return all + all.compactMap { keys[$0] }
  }

  // MARK: Beginning and ending

  /// - Throws: ``MutationError`` where a mutation is not to be taken.
  @inlinable func checkAdmission(
    of mutation: ClientMutation<Payload, Change>
  ) throws(MutationError) {
    guard index(of: mutation.token) == nil else { throw .alreadyPending(mutation.token) }
    guard limitedCount < StoreLimits.pendingMutations else {
      throw .tooManyPending(limit: StoreLimits.pendingMutations)
    }
    let count = edits.count + mutation.edits.count
    guard count <= StoreLimits.pendingEdits else {
      throw .tooManyEdits(count: count, limit: StoreLimits.pendingEdits)
    }
  }

  /// Adds a mutation on top of the others.
  @inlinable mutating func append(_ entry: consuming Entry) {
    lastNumber += 1
    entry.number = lastNumber
    numbers[entry.mutation.token] = lastNumber
    if entry.isLimited { limitedCount += 1 }
    if entry.isQueued { queue.append(lastNumber) }
    if let deadline = entry.deadline {
      deadlines.insert(MutationDeadline(instant: deadline, number: lastNumber))
    }
    edits.add(entry.mutation.edits, of: lastNumber, library: entry.library)
    entries.append(entry)
  }

  @inlinable mutating func remove(at index: Int) {
    let entry = entries.remove(at: index)
    numbers[entry.mutation.token] = nil
    if entry.isLimited { limitedCount -= 1 }
    if entry.isQueued { queue.remove(at: Self.firstIndex(in: queue) { $0 >= entry.number }) }
    edits.remove(entry.mutation.edits, of: entry.number)
    if entry.deadline != nil { forgetEndedDeadlines() }
  }

  /// Takes a mutation's edits away; it goes on waiting for its answer, without a deadline.
  @inlinable mutating func clearEdits(at index: Int, isCarriedOut: Bool) {
    let wasLimited = entries[index].isLimited
    edits.remove(entries[index].mutation.edits, of: entries[index].number)
    entries[index].mutation.edits = []
    entries[index].isCarriedOut = isCarriedOut
    if wasLimited, !entries[index].isLimited { limitedCount -= 1 }
    if entries[index].deadline != nil {
      entries[index].deadline = nil
      forgetEndedDeadlines()
    }
    // Of those that show nothing and are not to be sent, a bounded number is remembered.
    guard entries.count - limitedCount > StoreLimits.pendingMutations,
      let oldest = entries.firstIndex(where: { !$0.isLimited })
    else { return }
    remove(at: oldest)
  }

  /// Calls entities by their server's keys, in every pending edit and in reads to come.
  ///
  /// Any edit may name any entity, so this is O(pending edits).
  @inlinable mutating func rename(_ keys: [EntityKey: EntityKey], _ edit: (Edit) -> Edit) {
    guard !keys.isEmpty else { return }
    for former in keys.keys.sorted() {
      if let key = keys[former], key != former { aliases.note(former, is: key) }
    }
    edits = EditTable()
    for index in entries.indices {
      entries[index].mutation.edits = entries[index].mutation.edits.map(edit)
      edits.add(
        entries[index].mutation.edits, of: entries[index].number, library: entries[index].library)
    }
  }

  /// Exchanges what entities' edits are for what they were before this commit, and the reverse; the
  /// mutations themselves stay.
  @inlinable mutating func exchangeFormerEdits() {
    for index in visible.former.indices { edits.exchange(&visible.former[index]) }
  }

  // MARK: Giving up

  /// When the first of them is given up, or the outbox tries again; `nil`: never.
  @inlinable var nextDeadline: Instant? {
    guard !isEmpty else { return nil }
    let retry = outbox.isOnline && outbox.inFlight == nil ? outbox.retryAt : nil
    guard let deadline = deadlines.min?.instant else { return retry }
    return min(deadline, retry ?? deadline)
  }

  /// Those whose time is over, in the order in which they began; O(mutations) where there are any.
  @inlinable func overdue(at now: Instant) -> [MutationToken] {
    guard let first = deadlines.min, first.instant <= now else { return [] }
    return entries.filter { ($0.deadline ?? .distantFuture) <= now }.map(\.mutation.token)
  }

  /// Sees to it that the first deadline is of a mutation that still has it.
  @inlinable mutating func forgetEndedDeadlines() {
    while let first = deadlines.min,
      index(of: first.number).map({ entries[$0].deadline != first.instant }) ?? true
    {
      deadlines.removeMin()
    }
  }
}

/// A mutation that is neither committed nor rolled back.
@usableFromInline struct PendingMutation<Payload: Sendable, Change: Sendable>: Sendable {
  /// Without edits once an event has shown it, or its time is over: it shows nothing, and only waits
  /// for an answer to write.
  @usableFromInline var mutation: ClientMutation<Payload, Change>
  /// Whether an event has shown that the server carried it out.
  @usableFromInline var isCarriedOut = false
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// The library's last verification when the mutation began.
  @usableFromInline var verification: UInt32
  /// How many undecodable items its library had had then; `nil`: an earlier process had it.
  @usableFromInline var undecodableItems: UInt32?
  /// When it is given up; `nil`: never.
  @usableFromInline var deadline: Instant?
  /// The revision of the outbox that first had it; `nil` where its caller sends it.
  @usableFromInline var queuedAt: UInt64?
  /// Grows from each mutation to the next; given by the layer that takes it.
  @usableFromInline var number: UInt64 = 0

  @inlinable var isQueued: Bool { queuedAt != nil }
  /// Whether it counts towards the limit on pending mutations.
  @inlinable var isLimited: Bool { !mutation.edits.isEmpty || isQueued }

  @inlinable init(
    mutation: ClientMutation<Payload, Change>, library: Int16, verification: UInt32,
    undecodableItems: UInt32?, deadline: Instant?, queuedAt: UInt64?
  ) {
    self.mutation = mutation
    self.library = library
    self.verification = verification
    self.undecodableItems = undecodableItems
    self.deadline = deadline
    self.queuedAt = queuedAt
  }
}

/// When a mutation is given up; the earliest first, ties by number.
@usableFromInline struct MutationDeadline: Comparable, Sendable {
  @usableFromInline var instant: Instant
  @usableFromInline var number: UInt64

  @inlinable init(instant: Instant, number: UInt64) {
    self.instant = instant
    self.number = number
  }

  @inlinable static func < (lhs: MutationDeadline, rhs: MutationDeadline) -> Bool {
    (lhs.instant, lhs.number) < (rhs.instant, rhs.number)
  }
}

/// The server's keys of entities that were created under keys of the client's own; a bounded number,
/// oldest forgotten first.
@usableFromInline struct KeyAliases: Sendable {
  @usableFromInline var keys: [EntityKey: EntityKey] = [:]
  @usableFromInline var order: Deque<EntityKey> = []

  @inlinable init() {}

  @inlinable var isEmpty: Bool { order.isEmpty }

  @inlinable mutating func note(_ former: EntityKey, is key: EntityKey) {
    if keys.updateValue(key, forKey: former) == nil {
      order.append(former)
      if order.count > StoreLimits.keyAliases, let oldest = order.popFirst() { keys[oldest] = nil }
    }
  }

  @inlinable func resolve(_ key: EntityKey) -> EntityKey { keys[key] ?? key }
}
