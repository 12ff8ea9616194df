/// Which entities are held back from eviction.
///
/// A query holds what it lists, or does not. What an unobserved query that is expired or
/// stale lists is not held. An entity that no cached query lists, since it was opened singly or an event
/// brought it, is held by nothing under any of these: it stays in the eviction order until its space is
/// needed.
public enum Retention: String, Hashable, Sendable, CaseIterable {
  /// None: the eviction order alone decides.
  case none
  /// Those that an observed query lists.
  case observed
  /// Those that any cached query lists.
  case cached
  /// The same, and an entity is removed at once when the last cached query that lists it leaves, or
  /// lists it no longer.
  ///
  /// One that no query ever listed has no count that could fall to zero, and stays.
  case referenceCount = "reference-count"
  /// Those that an observed query lists, where a query is dropped at once when its last observer
  /// leaves, or when a reader who does not observe it has been answered; an entity is removed at once
  /// when no observed query lists it any longer, or the last query that lists it is dropped.
  case referenceCountObserved = "reference-count-observed"
  /// Those that a query lists which the app has tagged: its claim on an entry, such as a folder that
  /// the user keeps at hand.
  case tags
}

/// For how long queries without observers still count as observed: as many, and for so long.
///
/// It holds what observing holds: under ``Retention/observed`` the members, under
/// ``Retention/referenceCountObserved`` the query itself. First in, first out, by when they lost their
/// last observer; one that is observed again is taken out. The limit on queries holds for those in it as
/// for any unobserved one. A limit of 0 queries, or an age of zero, is no buffer.
public struct ReleaseBuffer: Hashable, Sendable {
  /// The most queries held.
  ///
  /// The one that lost its observers first goes first. `nil`: no limit.
  public var queries: Int?
  /// For how long one is held; `nil`: until others push it out.
  public var age: Duration?
  /// What a read of an unobserved query does.
  public var reads: Reads

  public init(queries: Int?, age: Duration?, reads: Reads = .ignored) {
    self.queries = queries
    self.age = age
    self.reads = reads
  }

  /// Whether it holds nothing.
  public var isNone: Bool { queries == 0 || age == .zero }

  /// What a read of an unobserved query does to a release buffer.
  public enum Reads: String, Hashable, Sendable, CaseIterable {
    /// Nothing: only a query that lost an observer enters.
    case ignored
    /// It counts as an observer that comes with the read and leaves when it is answered, so the query
    /// enters, or its time begins again.
    case asObserved = "as-observed"
    /// Once it is answered the query enters where there is room; one that is in the buffer keeps its
    /// place and its time.
    ///
    /// The buffer of a store that collects only when a query leaves the buffer. So one that found no
    /// room is held until then. And a request belongs to its observers: a query that
    /// loses the last of them before it is answered enters with what it has, perhaps nothing, and the
    /// answer is not kept.
    case whileRoom = "while-room"
  }
}
