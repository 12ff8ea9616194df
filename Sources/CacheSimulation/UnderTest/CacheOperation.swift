public import CacheModel

/// An operation on a cache, with its time.
public struct CacheTurn: Sendable {
  /// The number of the turn in its process, from 1.
  public var number: Int
  public var at: Instant
  public var operation: CacheOperation

  public init(number: Int, at: Instant, operation: CacheOperation) {
    self.number = number
    self.at = at
    self.operation = operation
  }
}

/// An operation on a cache, with queries, objects and states by number.
///
/// Used by the line protocol, conformance tests, and the replays that shrink a fault.
public enum CacheOperation: Sendable {
  case read(Int)
  /// A view appears: a read that stays.
  case observe(Int)
  /// The last view of a query was left.
  case unobserve(Int)
  /// The user tags a query.
  case tag(Int)
  /// A single entity is read.
  case open(UInt32)
  /// The server pushes an event.
  case event(Event)
  /// The server sends a heartbeat with its position.
  case heartbeat(StreamPosition)
  /// The answer to a request, by the cache's number.
  case response(Int, Response)
  /// The connection is established or lost.
  case link(isUp: Bool)
  /// The user makes a change; only for a cache that supports writes.
  case write(Write)
  /// The result of a write sent by the cache, by its token.
  case answer(UInt32, Answer)
  /// The wake-up time named by the cache has come.
  case wake

  /// An event of the server.
  public struct Event: Sendable {
    /// Its position in the stream; `nil`: none.
    public var position: StreamPosition?
    /// The token of the cache's own write that caused it, if any.
    public var token: UInt32?
    /// The server's numbers of objects that this write created, by the client's numbers.
    public var keys: [Key] = []
    public var content: Content
    /// Its effect on the lists that the cache has asked for, if the cache is given list membership.
    package var lists: [ListChange] = []

    public init(
      position: StreamPosition?, token: UInt32? = nil, keys: [Key] = [], content: Content
    ) {
      self.position = position
      self.token = token
      self.keys = keys
      self.content = content
    }

    public enum Content: Sendable {
      /// Objects were created or changed.
      case changed([SentRow])
      /// Objects were deleted, with the version.
      case deleted([UInt32], Version)
      /// Any data of a type, in a location, or both, may have changed.
      case mayHaveChanged(ResourceType?, location: UInt32?)
      case nothing
    }
  }

  /// The answer to a request of the cache, by the request's number.
  public enum Response: Sendable {
    /// The rows of a query, or the entity; none if it does not exist.
    case rows([SentRow], hasMore: Bool, StreamPosition)
    /// The cached answer is still current at this position.
    case notModified(StreamPosition)
    /// The requested events, and the position that they reach.
    case events([Event], through: StreamPosition)
    /// The server no longer has them; this is its position.
    case tooOld(StreamPosition)
    /// It is unknown whether the request arrived.
    case unreachable
    /// The server failed.
    case refused
  }

  /// A change by the user.
  public struct Write: Hashable, Sendable {
    /// The token under which it is sent.
    public var token: UInt32
    /// The edits to show at once; empty if the app shows only confirmed changes.
    public var edits: [Edit]
    /// Whether it is sent once, and given up without an answer; otherwise it is kept until there is one.
    public var isSentOnce: Bool

    public init(token: UInt32, edits: [Edit], isSentOnce: Bool) {
      self.token = token
      self.edits = edits
      self.isSentOnce = isSentOnce
    }
  }

  /// An edit to show at once.
  public enum Edit: Hashable, Sendable {
    // An object created by the user has a client number until the server has assigned one.

    case change(object: UInt32, state: UInt32)
    case create(object: UInt32, state: UInt32)
    case delete(object: UInt32)
  }

  /// The server's answer to a write.
  public enum Answer: Hashable, Sendable {
    case confirmed(Confirmation)
    /// It will not be applied.
    case refused
    /// It is unknown whether it arrived. If sent again, it is applied once.
    case unreachable
  }

  /// The effect of a write on the server.
  public struct Confirmation: Hashable, Sendable {
    /// The current rows of affected objects.
    public var rows: [SentRow] = []
    /// The deleted objects, with the version.
    public var deleted: [UInt32] = []
    public var deletion = Version.none
    /// The server's numbers of created objects, by the client's numbers.
    public var keys: [Key] = []
    public var position: StreamPosition

    public init(
      rows: [SentRow] = [], deleted: [UInt32] = [], deletion: Version = .none, keys: [Key] = [],
      position: StreamPosition
    ) {
      self.rows = rows
      self.deleted = deleted
      self.deletion = deletion
      self.keys = keys
      self.position = position
    }
  }

  /// The two numbers of an object that the user created.
  public struct Key: Hashable, Sendable {
    public var client: UInt32
    public var server: UInt32

    public init(client: UInt32, server: UInt32) {
      self.client = client
      self.server = server
    }
  }
}

/// The answer of a cache to a turn.
public struct TurnAnswer: Sendable {
  public var replies: [CacheReply]
  /// The time of the next wake-up; `nil`: none.
  public var wake: Instant?

  public init(replies: [CacheReply] = [], wake: Instant? = nil) {
    self.replies = replies
    self.wake = wake
  }
}

/// A reply or a request of a cache.
public enum CacheReply: Hashable, Sendable {
  /// Answers the read of a turn.
  case serve(turn: Int, [ServedRow])
  /// Gives up the read of a turn.
  case fail(turn: Int)
  /// Sends a request to the server.
  ///
  /// `id` is any number from 0 that no request in flight has; `since` is the position of an answer that the
  /// cache still has, so that the server may answer that nothing changed.
  case fetch(id: Int, Target, since: StreamPosition?)
  /// Asks for the events after a position.
  case reconcile(id: Int, after: StreamPosition)
  /// Notifies the views of a query of its current rows.
  case notify(query: Int, [ServedRow])
  /// Sends a write to the server.
  case send(token: Int)
  /// Stores a text for the client's next process; `nil` removes it.
  case store(key: String, String?)

  /// The target of a request.
  public enum Target: Hashable, Sendable {
    case query(Int)
    case object(UInt32)
  }
}

/// A row that a cache serves: an object and its version.
public struct ServedRow: Hashable, Sendable {
  public var object: Int
  /// The version as it was sent; see ``SentRow/served``.
  public var version: Int

  public init(object: Int, version: Int) {
    self.object = object
    self.version = version
  }
}

/// A row sent to a cache: a state of an object with its version.
public struct SentRow: Hashable, Sendable {
  /// The number of the object.
  public var object: UInt32
  /// The number of the state.
  public var state: UInt32
  /// The version; of two states of an object, the greater is the later.
  public var version: Version
  /// Whether it contains only the part that lists with summaries show: it cannot be served where the whole is
  /// needed.
  public var isPart: Bool

  public init(object: UInt32, state: UInt32, version: Version, isPart: Bool = false) {
    self.object = object
    self.state = state
    self.version = version
    self.isPart = isPart
  }

  /// The row as a cache serves it: a part has a different version than the whole of the same state.
  public var served: ServedRow {
    ServedRow(object: Int(object), version: isPart ? ~Int(state) : Int(state))
  }
}
