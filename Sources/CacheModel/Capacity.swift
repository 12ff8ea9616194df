/// The limits of a cache, and the watermarks of its eviction.
///
/// All given limits apply at once. Eviction begins and ends at the watermarks; the limit must not be
/// exceeded.
public struct Capacity: Hashable, Sendable {
  /// The limit in entities; `nil`: none.
  public var entities: Int?
  /// The limit in bytes of weight; `nil`: none.
  public var bytes: Int?
  /// The limit in bytes of memory, as the store predicts it for its values and tables; `nil`: none.
  ///
  /// Tables grow in steps and never shrink. The store therefore makes space before a table would grow beyond the
  /// limit; a result that does not fit, such as a list, is returned and not kept.
  public var memory: Int?
  /// The share of a limit above which eviction begins, in whole entities and bytes; at least one if the limit
  /// is not 0.
  public var highWatermark: Double
  /// The share of a limit at which eviction ends, rounded the same way.
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

/// What happens to retained entities if a limit is exceeded and nothing else can be evicted.
public enum LimitKind: String, Hashable, Sendable, CaseIterable {
  /// They are kept, and the limit stays exceeded until something is released.
  case soft
  /// They are released until the limit is kept: first queries without observers, the least recently used
  /// first; then the least recently used rows of observed queries lose their values, while their lists stay, so
  /// that the next read is partial.
  ///
  /// Entities with pending writes are not evicted, so only they may exceed a limit; and only the records of
  /// observed queries, which belong to the app, may exceed a limit in memory.
  case hard
}

/// Which entities are protected from eviction.
///
/// A query retains either all of its rows or none. An unobserved query that is expired or stale retains none.
/// An entity that no cached query lists, because it was read singly or an event brought it, is never
/// retained: it stays in the eviction order until its space is needed.
public enum Retention: String, Hashable, Sendable, CaseIterable {
  /// None: the eviction order alone decides.
  case none
  /// Those that an observed query lists.
  case observed
  /// Those that any cached query lists.
  case cached
  /// Those that any cached query lists; an entity is removed immediately when the last cached query that lists it
  /// leaves, or lists it no longer.
  ///
  /// An entity that no query ever listed has no count that could fall to zero, and stays.
  case referenceCount = "reference-count"
  /// Those that an observed query lists. A query is dropped immediately when its last observer leaves, or after a
  /// read without an observer is answered. An entity is removed immediately when no observed query lists it any
  /// longer, or the last query that lists it is dropped.
  case referenceCountObserved = "reference-count-observed"
  /// Those that a tagged query lists: the app tags a query to keep it, such as a folder that the user wants
  /// offline.
  case tags
}

/// A buffer of queries that lost their last observer and still count as observed: how many, and how long.
///
/// It retains what observing retains: under ``Retention/observed`` the members, under
/// ``Retention/referenceCountObserved`` the query itself. First in, first out, by the time when they lost their
/// last observer; a query that is observed again leaves the buffer. The limit on queries applies to those in
/// it as to any unobserved query. A limit of 0 queries, or an age of zero, is no buffer.
public struct ReleaseBuffer: Hashable, Sendable {
  /// The maximum number of queries in it.
  ///
  /// The query that lost its observers first leaves first. `nil`: no limit.
  public var queries: Int?
  /// The maximum time of a query in it; `nil`: until others displace it.
  public var age: Duration?
  /// What a read of an unobserved query does.
  public var reads: Reads

  public init(queries: Int?, age: Duration?, reads: Reads = .ignored) {
    self.queries = queries
    self.age = age
    self.reads = reads
  }

  /// Whether it can never contain a query.
  public var isNone: Bool { queries == 0 || age == .zero }

  /// What a read of an unobserved query does to a release buffer.
  public enum Reads: String, Hashable, Sendable, CaseIterable {
    /// Nothing: only a query that lost an observer enters.
    case ignored
    /// The read counts as an observer that leaves when it is answered, so the query enters, or its time begins
    /// again.
    case asObserved = "as-observed"
    /// After the answer the query enters if there is room; a query in the buffer keeps its place and its time.
    ///
    /// This is the buffer of a store that collects only when a query leaves the buffer: a query that found no
    /// room is retained until then. A request belongs to its observers: a query that loses the last of them
    /// before the answer enters with what it has, perhaps nothing, and the answer is not kept.
    case whileRoom = "while-room"
  }
}

/// The origin of a batch of changes.
public enum EventOrigin: String, Hashable, Sendable, CaseIterable {
  /// A job that goes through all data and reports everything that it finds.
  case index
  /// A watcher, which reports changes as they happen.
  case watcher
  /// A user's action on several entities at once.
  case user
}

/// How batches of one origin differ from other events.
public struct BatchRule: Hashable, Sendable {
  /// What happens to their entities that are not cached; `nil`: as for other events.
  public var admission: EventAdmission?
  /// What happens to lists; `nil`: as for other events.
  public var membership: Membership?
  /// Methods whose lists are all stale after such a batch, even those that it did not touch.
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
