public import CacheModel
public import EvictionPolicies

/// What is to be written to a storage, and when.
///
/// At most one batch is in flight. What it has is kept until it is known to be written.
@usableFromInline struct Persistence: Sendable {
  /// `nil`: there is no storage.
  @usableFromInline var writeBehind: WriteBehindState?
  @usableFromInline private(set) var inFlight = ChangesInFlight()
  /// Whether the store holds what was stored, and nothing of that was left out.
  @usableFromInline private(set) var isRestoredWhole = false

  @usableFromInline init() {}

  @inlinable var isOn: Bool { writeBehind != nil }

  /// When the next batch is due; `nil`: there is nothing to write, or one is on its way.
  @inlinable var deadline: Instant? { writeBehind?.deadline }

  /// The first change was committed that no batch has.
  @usableFromInline mutating func noteChange(at now: Instant) { writeBehind?.changedAt = now }

  /// The shell is asked to take a batch.
  @usableFromInline mutating func request() { writeBehind?.phase = .requested }

  @usableFromInline mutating func didRestore(isWhole: Bool) { isRestoredWhole = isWhole }

  /// The streams' cursors as the storage, or the batch in flight, has them.
  @inlinable var cursors: [StreamPosition] { inFlight.cursors }

  @usableFromInline mutating func noteStored(_ cursors: [StreamPosition]) {
    inFlight.cursors = cursors
  }

  /// A batch is on its way.
  @usableFromInline mutating func didTake(_ changes: ChangesInFlight, _ state: WriteBehindState) {
    inFlight = changes
    writeBehind = state
    writeBehind?.phase = .writing
  }

  @usableFromInline func isInFlight(_ number: UInt64) -> Bool {
    guard let writeBehind, writeBehind.isWriting else { return false }
    return writeBehind.lastNumber == number
  }

  /// Empties what is in flight, but for how far it got.
  @usableFromInline mutating func takeInFlight() -> ChangesInFlight {
    var taken = ChangesInFlight()
    taken.cursors = inFlight.cursors
    swap(&taken, &inFlight)
    return taken
  }

  /// The batch in flight was written whole.
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
  /// How long the first change of a batch waits for others: what a crash may cost, besides the time
  /// that a write takes.
  ///
  /// Half a second by default: at 1,000 writes per second to 100 entities it makes 200 row writes
  /// per second of them, and a user who is interrupted repeats no more than the last gesture.
  public var window: Duration
  /// With so many changed entities and queries the window ends at once, so that no batch grows long.
  public var maximumChanges: Int

  public init(window: Duration = .milliseconds(500), maximumChanges: Int = 2_048) {
    self.window = window
    self.maximumChanges = maximumChanges
  }
}

/// Where the write-behind stands: at most one batch is in flight, and a failed one is tried again.
///
/// Plain numbers, since every commit looks at them.
@usableFromInline struct WriteBehindState: Sendable {
  @usableFromInline enum Phase: Sendable {
    /// Changes wait for the end of their window, if there are any.
    case waiting
    /// The shell was asked to take a batch.
    case requested
    case writing
    /// The last batch failed; the next is due then.
    case backingOff(until: Instant)
  }

  /// In nanoseconds.
  @usableFromInline let window: Int64
  @usableFromInline let maximumChanges: Int
  @usableFromInline var phase = Phase.waiting
  /// When the first change was committed that no batch has.
  @usableFromInline var changedAt: Instant?
  /// Batches that failed since the last that did not.
  @usableFromInline var failures = 0
  @usableFromInline var lastNumber: UInt64 = 0
  /// Whether the next batch replaces everything that is stored.
  @usableFromInline var rewritesAll: Bool
  /// Whether progress must be written, moved or not: the batch that had it failed.
  @usableFromInline var owesProgress = false
  /// The verifications of all libraries as the last batch has them.
  @usableFromInline var verifications: UInt32 = 0
  /// The revision of the outbox that the last batch has.
  @usableFromInline var outboxRevision: UInt64 = 0

  @inlinable init(settings: WriteBehind, rewritesAll: Bool) {
    window = settings.window.wholeNanoseconds
    maximumChanges = settings.maximumChanges
    self.rewritesAll = rewritesAll
  }

  /// When the next batch is due; `nil`: there is nothing to write, or a batch is on its way.
  @inlinable var deadline: Instant? {
    switch phase {
    case .waiting: changedAt?.advanced(byNanoseconds: window)
    case .requested, .writing: nil
    case .backingOff(let until): until
    }
  }

  @inlinable var isWaiting: Bool { if case .waiting = phase { true } else { false } }
  @inlinable var isWriting: Bool { if case .writing = phase { true } else { false } }

  @inlinable mutating func backOff(from now: Instant) {
    phase = .backingOff(until: now.advanced(by: BackOff.pause(after: failures)))
    failures += 1
  }
}

/// What the batch in flight has, so that a failed one is not lost, and how far it got.
@usableFromInline struct ChangesInFlight: Sendable {
  @usableFromInline var entities: [ChangeLog<EntityKey>.Change] = []
  @usableFromInline var removedEntities: [EntityKey] = []
  @usableFromInline var queries: [ChangeLog<QueryKey>.Change] = []
  @usableFromInline var removedQueries: [QueryKey] = []
  @usableFromInline var replacesAll = false
  /// The streams' cursors as the last batch has them.
  @usableFromInline var cursors: [StreamPosition] = []

  @inlinable init() {}
}

/// Which places of a table are not stored as they are: a mark per place, and a list of the marked.
///
/// Marking is O(1) and, after the first mark of a place, allocates nothing; while it is off it costs
/// one test.
@usableFromInline struct ChangeLog<Key: Sendable>: ~Copyable {
  @usableFromInline struct Marks: OptionSet, BitwiseCopyable, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The value, or a query's state without its members.
    @inlinable static var value: Marks { Marks(rawValue: 1) }
    @inlinable static var members: Marks { Marks(rawValue: 2) }
    /// That it was read; this alone is no reason to write.
    @inlinable static var use: Marks { Marks(rawValue: 4) }
    /// The storage may know the key in this place.
    @inlinable static var stored: Marks { Marks(rawValue: 8) }
    /// The place is in the list.
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
  /// The most that were ever taken at once: the list keeps its room.
  @usableFromInline var mostTaken = 0
  /// How many of the listed have changed, and were not merely read.
  @usableFromInline var changed = 0
  /// Stored keys that are gone, in order; a key may be here twice, and may have come back.
  @usableFromInline var removed: [Key] = []
  /// Whether more was removed than is remembered.
  @usableFromInline var hasOverflowed = false

  @inlinable init() {}

  @inlinable var isEmpty: Bool { changed == 0 && removed.isEmpty && !hasOverflowed }
  @inlinable var count: Int { changed + removed.count }
  /// The most places that were ever listed at once.
  var mostListed: Int { max(mostTaken, listed.count) }

  /// Notes that what is in a place changed.
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

  /// Notes that a key has left its place, which another may take.
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

  /// Notes that the storage has, or is about to have, the key in a place.
  @inlinable mutating func noteStored(_ place: Int32) {
    marks.grow(toAtLeast: Int(place) + 1, filling: [])
    marks[place].insert(.stored)
  }

  /// Hands over the places that have changed, and begins again.
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

  /// Hands over the keys that are gone, and begins again.
  @inlinable mutating func takeRemoved() -> [Key] {
    hasOverflowed = false
    var taken: [Key] = []
    swap(&taken, &removed)
    return taken
  }

  /// Takes back what could not be written.
  @inlinable mutating func restore(_ changes: [Change], removed keys: [Key]) {
    for change in changes {
      note(change.place, change.marks.intersection([.value, .members, .use]))
    }
    for key in keys { remember(removed: key) }
  }
}
