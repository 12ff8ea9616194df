public import CacheModel

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
