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
@usableFromInline struct WriteBehindState: Sendable {
  @usableFromInline enum Phase: Sendable {
    /// Changes wait for the end of their window, if there are any.
    case waiting
    /// The shell was asked to take a batch.
    case requested
    case writing
    case backingOff(until: Instant)
  }

  @usableFromInline var settings: WriteBehind
  @usableFromInline var phase = Phase.waiting
  /// When the first change was committed that no batch has.
  @usableFromInline var changedAt: Instant?
  /// Batches that failed since the last that did not.
  @usableFromInline var failures = 0
  @usableFromInline var lastNumber: UInt64 = 0
  /// Whether the next batch replaces everything that is stored.
  @usableFromInline var rewritesAll: Bool
  @usableFromInline var inFlight = ChangesInFlight()
  /// Progress as the last batch has it.
  @usableFromInline var cursors: [StreamPosition] = []
  @usableFromInline var verifications: UInt32 = 0

  @inlinable init(settings: WriteBehind, rewritesAll: Bool) {
    self.settings = settings
    self.rewritesAll = rewritesAll
  }

  /// When the next batch is due; `nil`: there is nothing to write, or a batch is on its way.
  @inlinable var deadline: Instant? {
    switch phase {
    case .waiting: changedAt?.advanced(by: settings.window)
    case .requested, .writing: nil
    case .backingOff(let until): until
    }
  }

  /// The pause after a failure: a second, then twice as long each time, up to a minute.
  @inlinable mutating func backOff(from now: Instant) {
    phase = .backingOff(until: now.advanced(by: .seconds(min(1 << min(failures, 6), 60))))
    failures += 1
  }
}

/// What the batch in flight has, so that a failed one is not lost.
@usableFromInline struct ChangesInFlight: Sendable {
  @usableFromInline var entities: [ChangeLog<EntityKey>.Change] = []
  @usableFromInline var removedEntities: [EntityKey] = []
  @usableFromInline var queries: [ChangeLog<QueryKey>.Change] = []
  @usableFromInline var removedQueries: [QueryKey] = []
  @usableFromInline var replacesAll = false

  @inlinable init() {}
}
