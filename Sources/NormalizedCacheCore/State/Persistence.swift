public import CacheModel

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
