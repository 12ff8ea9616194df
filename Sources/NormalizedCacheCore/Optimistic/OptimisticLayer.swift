public import CacheModel
public import DequeModule
public import HeapModule

/// Users' changes that the server has not confirmed: pending mutations in order, their edits by entity, the
/// outbox, and the recorded visible rows of queries.
///
/// It holds edits, never results. The visible state is computed on demand from the confirmed state and these
/// edits, so a rollback only removes a mutation.
///
/// Finding, adding or removing a mutation costs its own edits and those of its entities, however many others
/// are pending, plus O(log mutations).
@usableFromInline struct OptimisticLayer<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Entry = PendingMutation<Payload, Change>
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  @usableFromInline var entries: Deque<Entry> = []
  @usableFromInline var edits = EditTable<Payload, Change>()
  @usableFromInline var aliases = KeyAliases()
  @usableFromInline var outbox = Outbox()
  @usableFromInline var visible = VisibleRows<Payload, Change>()
  /// The number of mutations that count towards the limit.
  @usableFromInline var limitedCount = 0
  @usableFromInline var numbers: [MutationToken: UInt64] = [:]
  @usableFromInline var lastNumber: UInt64 = 0
  /// The numbers of queued mutations, in order.
  @usableFromInline var queue: Deque<UInt64> = []
  /// The deadlines; ended mutations may be among them, but the first is of a pending one.
  @usableFromInline var deadlines = Heap<MutationDeadline>()

  @inlinable init() {}

  @inlinable var isEmpty: Bool { entries.isEmpty }

  @inlinable subscript(index: Int) -> Entry { entries[index] }

  @inlinable var tokens: [MutationToken] { entries.map(\.mutation.token) }

  /// Whether the visible state is the confirmed state.
  @inlinable var showsConfirmed: Bool { edits.count == 0 }

  @inlinable func hasEdits(of key: EntityKey) -> Bool { edits.count > 0 && edits[key] != nil }

  /// Returns the pending edits of one entity in order.
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

  /// Returns the first index whose element satisfies a monotonic condition, by bisection.
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

  /// The entities that a mutation edits; if keys are renamed, all edited entities, since any of their values
  /// may refer to another.
  @inlinable func editedKeys(
    at index: Int?, renamedBy keys: [EntityKey: EntityKey] = [:]
  ) -> [EntityKey] {
    let edited = index.map { entries[$0].mutation.edits.map(\.key) } ?? []
    guard !keys.isEmpty else { return edited }
    let all = edits.keys
    return all + all.compactMap { keys[$0] }
  }

  // MARK: Beginning and ending

  /// - Throws: ``MutationError`` if the mutation cannot be accepted.
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

  /// Removes a mutation's edits; it still waits for its answer, without a deadline.
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
    // Of the mutations that neither show edits nor wait to be sent, a limited number is kept.
    guard entries.count - limitedCount > StoreLimits.pendingMutations,
      let oldest = entries.firstIndex(where: { !$0.isLimited })
    else { return }
    remove(at: oldest)
  }

  /// Renames entities to their server's keys, in every pending edit and in later reads.
  ///
  /// Any edit may refer to any entity, so this is O(pending edits).
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

  /// Exchanges the current edits of entities for those before this commit; calling it again undoes it.
  ///
  /// Mutations are unaffected.
  @inlinable mutating func exchangeFormerEdits() {
    for index in visible.former.indices { edits.exchange(&visible.former[index]) }
  }

  // MARK: Giving up

  /// The earliest deadline of a mutation or retry of the outbox; `nil`: none.
  @inlinable var nextDeadline: Instant? {
    guard !isEmpty else { return nil }
    let retry = outbox.isOnline && outbox.inFlight == nil ? outbox.retryAt : nil
    guard let deadline = deadlines.min?.instant else { return retry }
    return min(deadline, retry ?? deadline)
  }

  /// Returns the mutations past their deadline, in the order in which they began; O(mutations) if there are
  /// any.
  @inlinable func overdue(at now: Instant) -> [MutationToken] {
    guard let first = deadlines.min, first.instant <= now else { return [] }
    return entries.filter { ($0.deadline ?? .distantFuture) <= now }.map(\.mutation.token)
  }

  /// Removes ended mutations from the front of the deadlines.
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
  /// The mutation; without edits after an event has confirmed it, or its deadline has passed: it then only
  /// waits for an answer to write.
  @usableFromInline var mutation: ClientMutation<Payload, Change>
  /// Whether an event has shown that the server applied it.
  @usableFromInline var isCarriedOut = false
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// The library's last verification when the mutation began.
  @usableFromInline var verification: UInt32
  /// The library's number of undecodable items at that time; `nil`: the mutation is of an earlier process.
  @usableFromInline var undecodableItems: UInt32?
  /// The deadline; `nil`: none.
  @usableFromInline var deadline: Instant?
  /// The outbox revision that first contained it; `nil` if its caller sends it.
  @usableFromInline var queuedAt: UInt64?
  /// Increases with each mutation; assigned by the layer.
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

/// A mutation's deadline; the earliest first, ties by number.
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

/// The server's keys of entities created under client keys; a limited number, the oldest is dropped first.
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
