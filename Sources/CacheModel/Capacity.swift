/// How much a cache may hold, and how far it empties itself when it is full.
///
/// All limits that are given hold at once. A watermark is where eviction begins and ends; the limit is
/// what must not be exceeded.
public struct Capacity: Hashable, Sendable {
  /// The limit in entities; `nil`: none.
  public var entities: Int?
  /// The limit in bytes of weight; `nil`: none.
  public var bytes: Int?
  /// The limit in bytes of memory, as the store predicts what its values and its tables take; `nil`:
  /// none.
  ///
  /// Tables grow in steps and never shrink, so what would make one grow beyond the limit is foreseen:
  /// space is made first, and what does not fit, such as a list, is returned and not kept.
  public var memory: Int?
  /// Eviction starts when more than this share of a limit is in use, in whole entities and bytes; of a
  /// limit that is not 0, one at least.
  public var highWatermark: Double
  /// Eviction stops when at most this share of a limit is in use, reckoned alike.
  public var lowWatermark: Double

  public init(
    entities: Int?, bytes: Int? = nil, memory: Int? = nil, highWatermark: Double = 1,
    lowWatermark: Double = 1
  ) {
    self.entities = entities
    self.bytes = bytes
    self.memory = memory
    self.highWatermark = highWatermark
    self.lowWatermark = lowWatermark
  }

  public static let unlimited = Capacity(entities: nil)
}

/// What becomes of what is retained where a limit is exceeded and nothing may be evicted.
public enum LimitKind: String, Hashable, Sendable, CaseIterable {
  /// It is kept, and the limit stays exceeded until something is released.
  case soft
  /// It is given up until the limit holds: queries without observers go, the least recently used
  /// first; then the least recently used rows of observed ones lose their values, while their lists
  /// stay, so that the next read is partial.
  ///
  /// What has pending edits is not evicted, so it alone may exceed a limit, and a limit in memory the
  /// records of observed queries, which are the app's.
  case hard
}

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

/// What a batch of changes comes from.
public enum EventOrigin: String, Hashable, Sendable, CaseIterable {
  /// A job that goes through everything and tells of all that it finds.
  case index
  /// Somebody who watches, and tells of what has just changed.
  case watcher
  /// What a user did to several things at once.
  case user
}

/// What batches of one origin do otherwise than events in general.
public struct BatchRule: Hashable, Sendable {
  /// What becomes of entities in them that are not cached; `nil`: what events do.
  public var admission: EventAdmission?
  /// What happens to lists; `nil`: what events do.
  public var membership: Membership?
  /// Methods of which every list is stale after such a batch, whether it touched it or not.
  public var staleMethods: [QueryMethod]

  public init(
    admission: EventAdmission? = nil, membership: Membership? = nil,
    staleMethods: [QueryMethod] = []
  ) {
    self.admission = admission
    self.membership = membership
    self.staleMethods = staleMethods
  }
}
