public import CacheModel

/// An operation on a cache, and when it takes place.
public struct CacheTurn: Sendable {
  /// Counts the turns of one process, from 1.
  public var number: Int
  public var at: Instant
  public var operation: CacheOperation

  public init(number: Int, at: Instant, operation: CacheOperation) {
    self.number = number
    self.at = at
    self.operation = operation
  }
}

/// An operation on a cache, with queries, objects and states by their numbers.
///
/// The words of the line protocol, of conformance tests, and of the replays that find the shortest way to a
/// fault.
public enum CacheOperation: Sendable {
  case read(Int)
  /// A view appears: a read that stays.
  case observe(Int)
  /// The last view of a query has gone.
  case unobserve(Int)
  /// The user wants a query kept.
  case tag(Int)
  /// A single entity is read.
  case open(UInt32)
  /// The server pushes an event.
  case event(Event)
  /// The server sends a heartbeat with its position.
  case heartbeat(StreamPosition)
  /// The answer to a request, by the number that the cache gave it.
  case response(Int, Response)
  /// The connection comes or goes.
  case link(isUp: Bool)
  /// The user changes something; only for a cache that takes part in writes.
  case write(Write)
  /// The result of a write that the cache has sent, by its token.
  case answer(UInt32, Answer)
  /// The instant has come that the cache named.
  case wake

  /// An event of the server.
  public struct Event: Sendable {
    /// Its position in the stream; `nil`: it is not in the stream.
    public var position: StreamPosition?
    /// The token of the cache's own write that caused it, if there is one.
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
      /// Objects are new, or have new states.
      case changed([SentRow])
      /// Objects are gone since a version.
      case deleted([UInt32], Version)
      /// Anything of a type, in a location, or both, may have changed.
      case mayHaveChanged(ResourceType?, location: UInt32?)
      case nothing
    }
  }

  /// The answer to a request of the cache's, by the request's number.
  public enum Response: Sendable {
    /// The rows of a query, or the entity; none if it does not exist.
    case rows([SentRow], hasMore: Bool, StreamPosition)
    /// The answer that the cache still has is also true at this position.
    case notModified(StreamPosition)
    /// The events that were asked for, and the place up to which they reach.
    case events([Event], through: StreamPosition)
    /// The server has forgotten them; this is its position.
    case tooOld(StreamPosition)
    /// The request may or may not have arrived.
    case unreachable
    /// The server failed.
    case refused
  }

  /// A change of the user's.
  public struct Write: Hashable, Sendable {
    /// The name under which it is sent.
    public var token: UInt32
    /// What shows at once; empty if the app shows only what is confirmed.
    public var edits: [Edit]
    /// Whether it is sent once, and given up where no answer comes; else it is kept until there is one.
    public var isSentOnce: Bool

    public init(token: UInt32, edits: [Edit], isSentOnce: Bool) {
      self.token = token
      self.edits = edits
      self.isSentOnce = isSentOnce
    }
  }

  /// What a write shows at once.
  public enum Edit: Hashable, Sendable {
    // An object that the user has created has a number of the client's until the server has given it one.

    case change(object: UInt32, state: UInt32)
    case create(object: UInt32, state: UInt32)
    case delete(object: UInt32)
  }

  /// What the server has to say to a write.
  public enum Answer: Hashable, Sendable {
    case confirmed(Confirmation)
    /// It will not be carried out.
    case refused
    /// It is not known whether it arrived. Sent again, it is carried out once.
    case unreachable
  }

  /// What the server did with a write.
  public struct Confirmation: Hashable, Sendable {
    /// What it concerned, as it is now.
    public var rows: [SentRow] = []
    /// What of it is gone, and since when.
    public var deleted: [UInt32] = []
    public var deletion = Version.none
    /// The server's numbers of what was created, by the client's.
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

/// What a cache has to say to a turn.
public struct TurnAnswer: Sendable {
  public var replies: [CacheReply]
  /// When it wants to be woken; `nil`: only by what happens.
  public var wake: Instant?

  public init(replies: [CacheReply] = [], wake: Instant? = nil) {
    self.replies = replies
    self.wake = wake
  }
}

/// Something that a cache says or wants.
public enum CacheReply: Hashable, Sendable {
  /// Answers the read of a turn.
  case serve(turn: Int, [ServedRow])
  /// Gives the read of a turn up.
  case fail(turn: Int)
  /// Asks the server.
  ///
  /// `id` is any number from 0 that no request under way has; `since` names the place of an answer that
  /// the cache still has, so that the server may say that nothing changed.
  case fetch(id: Int, Target, since: StreamPosition?)
  /// Asks for the events after a position.
  case reconcile(id: Int, after: StreamPosition)
  /// Tells the views of a query what it lists now.
  case notify(query: Int, [ServedRow])
  /// Sends a write to the server.
  case send(token: Int)
  /// Stores a text for the client's next process, or removes it: `nil`.
  case store(key: String, String?)

  /// What is asked for.
  public enum Target: Hashable, Sendable {
    case query(Int)
    case object(UInt32)
  }
}

/// A row that a cache serves: which object, in which version.
public struct ServedRow: Hashable, Sendable {
  public var object: Int
  /// As it was sent; see ``SentRow/served``.
  public var version: Int

  public init(object: Int, version: Int) {
    self.object = object
    self.version = version
  }
}

/// A row as a cache is sent it: a state of an object, and when and where that was written.
public struct SentRow: Hashable, Sendable {
  /// The number of the object.
  public var object: UInt32
  /// The number of the state.
  public var state: UInt32
  /// Of two states of one object the one with the greater version is the later.
  public var version: Version
  /// Whether it shows only the part of the state that lists with a summary show: it cannot be served where the
  /// whole is asked for.
  public var isPart: Bool

  public init(object: UInt32, state: UInt32, version: Version, isPart: Bool = false) {
    self.object = object
    self.state = state
    self.version = version
    self.isPart = isPart
  }

  /// The row as a cache serves it: a part has another version than the whole of the same state.
  public var served: ServedRow {
    ServedRow(object: Int(object), version: isPart ? ~Int(state) : Int(state))
  }
}
