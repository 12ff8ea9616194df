public import CacheModel
public import DequeModule
public import HeapModule

/// A mutation that is neither committed nor rolled back.
@usableFromInline struct PendingMutation<Payload: Sendable, Change: Sendable>: Sendable {
  /// Without edits once an event has told of it, or its time is over: it shows nothing, and only
  /// waits for an answer to write.
  @usableFromInline var mutation: ClientMutation<Payload, Change>
  /// Whether an event has told that the server carried it out.
  @usableFromInline var isCarriedOut = false
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// The library's last verification when the mutation began.
  @usableFromInline var verification: UInt32
  /// How many doubts of its library there were then; `nil`: an earlier process had it.
  @usableFromInline var doubts: UInt32?
  /// When it is given up; `nil`: never.
  @usableFromInline var deadline: Instant?
  /// The revision of the outbox that first had it; `nil` where its caller sends it.
  @usableFromInline var queuedAt: UInt64?
  /// Grows from each mutation to the next; given by the overlay that takes it.
  @usableFromInline var number: UInt64 = 0

  @inlinable var isQueued: Bool { queuedAt != nil }
  /// Whether it counts among those of which there may be so many only.
  @inlinable var isLimited: Bool { !mutation.edits.isEmpty || isQueued }

  @inlinable init(
    mutation: ClientMutation<Payload, Change>, library: Int16, verification: UInt32,
    doubts: UInt32?, deadline: Instant?, queuedAt: UInt64?
  ) {
    self.mutation = mutation
    self.library = library
    self.verification = verification
    self.doubts = doubts
    self.deadline = deadline
    self.queuedAt = queuedAt
  }
}

/// The ordered overlay: what lies over the confirmed state.
///
/// It holds edits, never results. What is shown is computed from the confirmed state and these edits
/// whenever somebody looks, so taking a mutation out is all that a rollback is.
///
/// A mutation is found, added and taken out at the cost of its own edits and those of the entities
/// that it edits, however many others are pending; O(log mutations) beside that.
@usableFromInline struct PendingMutations<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Entry = PendingMutation<Payload, Change>
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  /// In the order in which they began.
  @usableFromInline var entries: Deque<Entry> = []
  /// The edits of all of them by entity.
  @usableFromInline var edited = EditedEntities<Payload, Change>()
  @usableFromInline var aliases = KeyAliases()
  /// How many count among those of which there may be so many only.
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

  /// Whether what is shown is the confirmed state.
  @inlinable var showsNothing: Bool { edited.editCount == 0 }

  @inlinable func hasEdits(of key: EntityKey) -> Bool {
    edited.editCount > 0 && edited[key] != nil
  }

  /// The pending edits of one entity in order.
  @inlinable func edits(of key: EntityKey) -> [Edit] {
    edited.editCount > 0 ? edited[key]?.edits ?? [] : []
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

  /// Those that are queued, in order; O(mutations).
  @inlinable var queued: [Entry] { entries.filter(\.isQueued) }

  /// Those that were queued after another began.
  @inlinable func queued(after index: Int) -> [Entry] {
    entries[(index + 1)...].filter(\.isQueued)
  }

  @inlinable var firstQueued: Entry? {
    queue.first.flatMap { index(of: $0) }.map { entries[$0] }
  }

  @inlinable var lastQueued: Entry? {
    queue.last.flatMap { index(of: $0) }.map { entries[$0] }
  }

  /// When the first of them is given up; `nil`: none is.
  @inlinable var nextDeadline: Instant? { deadlines.min?.instant }

  /// Those whose time is over, in the order in which they began.
  ///
  /// O(mutations) where there are any.
  @inlinable func overdue(at now: Instant) -> [MutationToken] {
    guard let first = nextDeadline, first <= now else { return [] }
    return entries.filter { ($0.deadline ?? .distantFuture) <= now }.map(\.mutation.token)
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
    edited.add(entry.mutation.edits, of: lastNumber, library: entry.library)
    entries.append(entry)
  }

  @inlinable mutating func remove(at index: Int) {
    let entry = entries.remove(at: index)
    numbers[entry.mutation.token] = nil
    if entry.isLimited { limitedCount -= 1 }
    if entry.isQueued { queue.remove(at: Self.firstIndex(in: queue) { $0 >= entry.number }) }
    edited.remove(entry.mutation.edits, of: entry.number)
    if entry.deadline != nil { forgetEndedDeadlines() }
  }

  /// Takes a mutation's edits away; it goes on waiting for its answer, without a deadline.
  @inlinable mutating func clearEdits(at index: Int, isCarriedOut: Bool) {
    let wasLimited = entries[index].isLimited
    edited.remove(entries[index].mutation.edits, of: entries[index].number)
    entries[index].mutation.edits = []
    entries[index].isCarriedOut = isCarriedOut
    if wasLimited, !entries[index].isLimited { limitedCount -= 1 }
    if entries[index].deadline != nil {
      entries[index].deadline = nil
      forgetEndedDeadlines()
    }
    forgetOldestSpent()
  }

  /// Of those that show nothing and are not to be sent, a bounded number is remembered.
  @inlinable mutating func forgetOldestSpent() {
    guard entries.count - limitedCount > StoreLimits.pendingMutations,
      let oldest = entries.firstIndex(where: { !$0.isLimited })
    else { return }
    remove(at: oldest)
  }

  /// Sees to it that the first deadline is of a mutation that still has it.
  @inlinable mutating func forgetEndedDeadlines() {
    while let first = deadlines.min,
      index(of: first.number).map({ entries[$0].deadline != first.instant }) ?? true
    {
      deadlines.removeMin()
    }
  }

  /// Calls entities by their server's keys, in every pending edit and in reads to come.
  ///
  /// Any edit may name any entity, so this is O(pending edits).
  ///
  /// - Parameters:
  ///   - keys: the server's keys, by the client's.
  ///   - edit: an edit under the server's keys.
  @inlinable mutating func rename(
    _ keys: [EntityKey: EntityKey], _ edit: (Edit) -> Edit
  ) {
    guard !keys.isEmpty else { return }
    for former in keys.keys.sorted() {
      if let key = keys[former], key != former { aliases.note(former, is: key) }
    }
    edited = EditedEntities()
    for index in entries.indices {
      entries[index].mutation.edits = entries[index].mutation.edits.map(edit)
      edited.add(
        entries[index].mutation.edits, of: entries[index].number, library: entries[index].library)
    }
  }

  /// Exchanges what some entities' edits are; the mutations themselves stay.
  @inlinable mutating func exchangeEdits(
    for others: inout [EditedEntities<Payload, Change>.Exchange]
  ) {
    for index in others.indices { edited.exchange(&others[index]) }
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
