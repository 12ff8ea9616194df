/// Told of what a cache does: for metrics, logs and signposts.
///
/// Called on the cache's actor, so it should return within microseconds and must not wait; a cache without
/// one pays for the test of a flag. Each requirement does nothing unless the conformer says otherwise.
public protocol CacheInstrument: Sendable {
  /// A query or an entity was read, or an observation began.
  func didRead(_ read: InstrumentedRead)

  /// A fetch came back, with an answer or an error.
  func didFetch(_ fetch: InstrumentedFetch)

  /// A commit has evicted so many entities to make space.
  func didEvict(entities: Int)

  /// So many gaps have stayed open beyond the reorder window: events are missing, and asked for.
  func didDetect(gaps: Int)
}

extension CacheInstrument {
  public func didRead(_ read: InstrumentedRead) {}
  public func didFetch(_ fetch: InstrumentedFetch) {}
  public func didEvict(entities: Int) {}
  public func didDetect(gaps: Int) {}
}

/// A read, as an instrument is told of it.
public struct InstrumentedRead: Hashable, Sendable {
  public var target: FetchTarget
  public var outcome: ReadOutcome
  /// Whether a hit has outlived its time to live.
  public var isExpired: Bool

  @inlinable init(target: FetchTarget, outcome: ReadOutcome, isExpired: Bool) {
    self.target = target
    self.outcome = outcome
    self.isExpired = isExpired
  }
}

/// A fetch, as an instrument is told of it.
public struct InstrumentedFetch: Sendable {
  public var target: FetchTarget
  /// From the request to its answer.
  public var duration: Duration
  /// The rows that were answered.
  public var rows: Int
  /// Their weights, as the schema weighs: what the values stand for, not what travelled.
  public var bytes: Int
  /// Whether the server said that nothing has changed.
  public var isNotModified: Bool
  /// Why there is no answer; `nil`: there is one.
  public var error: (any Error)?
}
