public import CacheModel
public import EvictionPolicies

/// The changes to be written to a storage, and when.
///
/// At most one batch is in flight. Its changes are kept until it is known to be written.
@usableFromInline struct Persistence: Sendable {
  /// `nil`: there is no storage.
  @usableFromInline var writeBehind: WriteBehindState?
  @usableFromInline private(set) var inFlight = ChangesInFlight()
  /// Whether the store has all of the stored contents.
  @usableFromInline private(set) var isRestoredWhole = false

  @usableFromInline init() {}

  @inlinable var isOn: Bool { writeBehind != nil }

  /// The due time of the next batch; `nil`: there is nothing to write, or a batch is in flight.
  @inlinable var deadline: Instant? { writeBehind?.deadline }

  /// Notes the first commit that no batch contains.
  @usableFromInline mutating func noteChange(at now: Instant) { writeBehind?.changedAt = now }

  /// Ends a pause after its first step.
  @usableFromInline mutating func shortenPause() { writeBehind?.shortenPause() }

  /// Notes that the shell was asked to take a batch.
  @usableFromInline mutating func request() { writeBehind?.phase = .requested }

  @usableFromInline mutating func didRestore(isWhole: Bool) { isRestoredWhole = isWhole }

  /// The streams' cursors in the storage, or in the batch in flight.
  @inlinable var cursors: [StreamPosition] { inFlight.cursors }

  @usableFromInline mutating func noteStored(_ cursors: [StreamPosition]) {
    inFlight.cursors = cursors
  }

  @usableFromInline mutating func didTake(_ changes: ChangesInFlight, _ state: WriteBehindState) {
    inFlight = changes
    writeBehind = state
    writeBehind?.phase = .writing
  }

  @usableFromInline func isInFlight(_ number: UInt64) -> Bool {
    guard let writeBehind, writeBehind.isWriting else { return false }
    return writeBehind.lastNumber == number
  }

  /// Returns and clears the changes in flight, except for their progress.
  @usableFromInline mutating func takeInFlight() -> ChangesInFlight {
    var taken = ChangesInFlight()
    taken.cursors = inFlight.cursors
    swap(&taken, &inFlight)
    return taken
  }

  /// Notes that the batch in flight was written as a whole.
  @usableFromInline mutating func didWrite() {
    _ = takeInFlight()
    writeBehind?.failures = 0
    writeBehind?.phase = .waiting
  }

  @usableFromInline mutating func stop() {
    writeBehind = nil
    inFlight = ChangesInFlight()
  }
}

/// When changes are written to a storage.
public struct WriteBehind: Hashable, Sendable {
  /// The time for which the first change of a batch waits for others.
  ///
  /// A crash loses at most this plus the time of a write.
  ///
  /// The default is half a second: at 1,000 writes per second to 100 entities that is 200 row writes per
  /// second, and an interrupted user repeats no more than the last gesture.
  public var window: Duration
  /// The number of changed entities and queries that ends the window early, so that batches stay short.
  public var maximumChanges: Int

  public init(window: Duration = .milliseconds(500), maximumChanges: Int = 2_048) {
    self.window = window
    self.maximumChanges = maximumChanges
  }
}

/// The state of the write-behind: at most one batch is in flight, and a failed one is retried.
///
/// Plain numbers, since every commit reads them.
@usableFromInline struct WriteBehindState: Sendable {
  @usableFromInline enum Phase: Sendable {
    /// Changes, if any, wait for the end of their window.
    case waiting
    /// The shell was asked to take a batch.
    case requested
    case writing
    /// The last batch failed; the next is due at this time.
    case backingOff(until: Instant)
  }

  /// In nanoseconds.
  @usableFromInline let window: Int64
  @usableFromInline let maximumChanges: Int
  @usableFromInline var phase = Phase.waiting
  /// The time of the first commit that no batch contains.
  @usableFromInline var changedAt: Instant?
  /// Consecutive failed batches.
  @usableFromInline var failures = 0
  /// The time of the last failure.
  @usableFromInline var failedAt = Instant(nanoseconds: 0)
  @usableFromInline var lastNumber: UInt64 = 0
  /// Whether the next batch replaces the storage's contents.
  @usableFromInline var rewritesAll: Bool
  /// Whether progress must be written even if unchanged: the batch that contained it failed.
  @usableFromInline var owesProgress = false
  @usableFromInline var verifications: UInt32 = 0
  /// The outbox revision in the last batch.
  @usableFromInline var outboxRevision: UInt64 = 0

  @inlinable init(settings: WriteBehind, rewritesAll: Bool) {
    window = settings.window.wholeNanoseconds
    maximumChanges = settings.maximumChanges
    self.rewritesAll = rewritesAll
  }

  /// The due time of the next batch; `nil`: there is nothing to write, or a batch is in flight.
  @inlinable var deadline: Instant? {
    switch phase {
    case .waiting: changedAt?.advanced(byNanoseconds: window)
    case .requested, .writing: nil
    case .backingOff(let until): until
    }
  }

  @inlinable var isWaiting: Bool { if case .waiting = phase { true } else { false } }
  @inlinable var isBackingOff: Bool { if case .backingOff = phase { true } else { false } }
  @inlinable var isWriting: Bool { if case .writing = phase { true } else { false } }

  @inlinable mutating func backOff(from now: Instant) {
    phase = .backingOff(until: now.advanced(by: BackOff.pause(after: failures)))
    failures += 1
    failedAt = now
  }

  /// Ends a pause after its first step, since a user's change waits for the storage.
  ///
  /// So a failing storage is tried once per second at most.
  @inlinable mutating func shortenPause() {
    guard case .backingOff(let until) = phase else { return }
    phase = .backingOff(until: min(until, failedAt.advanced(by: BackOff.pause(after: 0))))
  }
}

/// The changes of the batch in flight, kept in case it fails, and its progress.
@usableFromInline struct ChangesInFlight: Sendable {
  @usableFromInline var entities: [ChangeLog<EntityKey>.Change] = []
  @usableFromInline var removedEntities: [EntityKey] = []
  @usableFromInline var queries: [ChangeLog<QueryKey>.Change] = []
  @usableFromInline var removedQueries: [QueryKey] = []
  @usableFromInline var replacesAll = false
  /// The streams' cursors in the last batch.
  @usableFromInline var cursors: [StreamPosition] = []

  @inlinable init() {}
}

/// The slots of a table that differ from the storage: a mark per slot, and a list of the marked.
///
/// Marking is O(1), and allocates nothing after a slot's first mark; when off it costs one test.
@usableFromInline struct ChangeLog<Key: Sendable>: ~Copyable {
  @usableFromInline struct Marks: OptionSet, BitwiseCopyable, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The value, or a query's state without its members, has changed.
    @inlinable static var value: Marks { Marks(rawValue: 1) }
    @inlinable static var members: Marks { Marks(rawValue: 2) }
    /// It was read; not a reason to write by itself.
    @inlinable static var use: Marks { Marks(rawValue: 4) }
    /// The storage may have the key of this slot.
    @inlinable static var stored: Marks { Marks(rawValue: 8) }
    @inlinable static var listed: Marks { Marks(rawValue: 16) }
  }

  @usableFromInline struct Change: Sendable {
    @usableFromInline var place: Int32
    @usableFromInline var marks: Marks
    @inlinable init(place: Int32, marks: Marks) {
      self.place = place
      self.marks = marks
    }
  }

  @usableFromInline var isOn = false
  @usableFromInline var marks = Fixed<Marks>(repeating: [], count: 0)
  @usableFromInline var listed: [Int32] = []
  /// The maximum number taken at once: the list keeps its capacity.
  @usableFromInline var mostTaken = 0
  /// The number of listed slots that changed and were not only read.
  @usableFromInline var changed = 0
  /// Stored keys that were removed, in order; a key may be repeated, and may have been added again.
  @usableFromInline var removed: [Key] = []
  /// Whether too many keys were removed to list them.
  @usableFromInline var hasOverflowed = false

  @inlinable init() {}

  @inlinable var isEmpty: Bool { changed == 0 && removed.isEmpty && !hasOverflowed }
  @inlinable var count: Int { changed + removed.count }
  /// The maximum number of slots listed at once.
  var mostListed: Int { max(mostTaken, listed.count) }

  @inlinable mutating func mark(_ place: Int32, _ added: Marks = .value) {
    guard isOn else { return }
    note(place, added)
  }

  @inlinable mutating func note(_ place: Int32, _ added: Marks) {
    marks.grow(toAtLeast: Int(place) + 1, filling: [])
    var its = marks[place]
    if its.isDisjoint(with: [.value, .members]), !added.isDisjoint(with: [.value, .members]) {
      changed += 1
    }
    if !its.contains(.listed) { listed.append(place) }
    its.formUnion(added)
    its.insert(.listed)
    marks[place] = its
  }

  /// Notes that a key has left its slot, which may be reused.
  @inlinable mutating func didFree(_ place: Int32, key: Key) {
    guard isOn, Int(place) < marks.count, marks[place].contains(.stored) else { return }
    marks[place].remove(.stored)
    remember(removed: key)
  }

  @inlinable mutating func remember(removed key: Key) {
    guard !hasOverflowed else { return }
    removed.append(key)
    guard removed.count > StoreLimits.removedKeys else { return }
    removed = []
    hasOverflowed = true
  }

  /// Notes that the storage has, or is about to have, a slot's key.
  @inlinable mutating func noteStored(_ place: Int32) {
    marks.grow(toAtLeast: Int(place) + 1, filling: [])
    marks[place].insert(.stored)
  }

  @inlinable mutating func takeChanges() -> [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(listed.count)
    for place in listed {
      changes.append(Change(place: place, marks: marks[place]))
      marks[place].formIntersection(.stored)
    }
    mostTaken = max(mostTaken, listed.count)
    listed.removeAll(keepingCapacity: true)
    changed = 0
    return changes
  }

  /// Returns the removed keys and clears the list.
  @inlinable mutating func takeRemoved() -> [Key] {
    hasOverflowed = false
    var taken: [Key] = []
    swap(&taken, &removed)
    return taken
  }

  /// Restores changes that could not be written.
  @inlinable mutating func restore(_ changes: [Change], removed keys: [Key]) {
    for change in changes {
      note(change.place, change.marks.intersection([.value, .members, .use]))
    }
    for key in keys { remember(removed: key) }
  }
}
