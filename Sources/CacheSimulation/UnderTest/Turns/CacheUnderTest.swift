package import CacheModel

/// A cache that the simulation knows only from outside: it is told what happens, one turn at a time, and
/// says what it serves and what it wants.
///
/// It has no clock: each turn says when it takes place, and each answer when the cache wants to be woken.
/// Queries, objects and versions are numbers: a query is a place in `Workload.queries`, an object one in
/// `Catalog.objects`, a version one in `Catalog.revisions`.
package protocol CacheUnderTest: AnyObject {
  /// What it takes part in beyond reading; nothing, unless it says so.
  var features: Set<CacheFeature> { get }
  /// - Throws: ``CacheFault`` where it does not keep to the rules; its run is over then.
  func take(_ turn: CacheTurn) throws(CacheFault) -> TurnAnswer
  /// Its client's run is over, or its process ends.
  func end()
}

extension CacheUnderTest {
  package var features: Set<CacheFeature> { [] }
}

/// Something that happens to a cache.
package struct CacheTurn: Sendable {
  /// Counts the turns of one process, from 1.
  package var number: Int
  package var at: Instant
  package var input: Input

  package init(number: Int, at: Instant, input: Input) {
    self.number = number
    self.at = at
    self.input = input
  }

  package enum Input: Sendable {
    case read(Int)
    /// A view appears: a read that stays.
    case observe(Int)
    /// The last view of a query has gone.
    case unobserve(Int)
    /// The user wants a query kept.
    case tag(Int)
    /// A single entity is read.
    case open(UInt32)
    case event(Event)
    /// The server says where it stands.
    case heartbeat(StreamPosition)
    case response(Int, Response)
    case link(isUp: Bool)
    /// The user changes something; only for who takes part in writes.
    case write(Write)
    /// What became of a write that the cache has sent, by its token.
    case answer(UInt32, Answer)
    /// The instant has come that the cache named.
    case wake
  }

  /// What the server tells without being asked.
  package struct Event: Sendable {
    /// Where it stands in the stream; `nil`: it came beside it.
    package var position: StreamPosition?
    /// The cache's own write that it tells of, by its token, if it is one.
    package var token: UInt32?
    /// The server's numbers of what that write created, by the client's.
    package var keys: [Key] = []
    package var content: Content
    /// What it makes of lists that the cache has asked for, where the cache is told that.
    package var lists: [ListChange] = []

    package enum Content: Sendable {
      case changed([SentRow])
      case deleted([UInt32], Version)
      /// Anything of a type, in a location, or both, may have changed.
      case mayHaveChanged(ResourceType?, location: UInt32?)
      case nothing
    }
  }

  package enum Response: Sendable {
    /// The rows of a query, or the entity; none where it does not exist.
    case rows([SentRow], hasMore: Bool, StreamPosition)
    case notModified(StreamPosition)
    case events([Event], through: StreamPosition)
    case tooOld(StreamPosition)
    /// The request may or may not have arrived.
    case unreachable
    case refused
  }

  /// A change of the user's.
  package struct Write: Hashable, Sendable {
    /// The name under which it is sent.
    package var token: UInt32
    /// What shows at once; empty where the app shows only what is confirmed.
    package var edits: [Edit]
    /// Whether it is sent once, and given up where no answer comes; else it is kept until there is one.
    package var isSentOnce: Bool
  }

  package enum Edit: Hashable, Sendable {
    // An object that the user has created has a number of the client's until the server has given it one.

    case change(object: UInt32, state: UInt32)
    case create(object: UInt32, state: UInt32)
    case delete(object: UInt32)
  }

  /// What the server has to say to a write.
  package enum Answer: Hashable, Sendable {
    case confirmed(Confirmation)
    /// It will not be carried out.
    case refused
    /// Nobody knows whether it arrived. Sent again, it is carried out once.
    case unreachable
  }

  package struct Confirmation: Hashable, Sendable {
    /// What it concerned, as it is now.
    package var rows: [SentRow] = []
    /// What of it is gone, and since when.
    package var deleted: [UInt32] = []
    package var deletion = Version.none
    /// The server's numbers of what was created, by the client's.
    package var keys: [Key] = []
    package var position: StreamPosition
  }

  package struct Key: Hashable, Sendable {
    package var client: UInt32
    package var server: UInt32
  }
}

/// What a cache has to say to a turn.
package struct TurnAnswer: Sendable {
  package var replies: [CacheReply]
  /// When it wants to be woken; `nil`: only by what happens.
  package var wake: Instant?

  package init(replies: [CacheReply] = [], wake: Instant? = nil) {
    self.replies = replies
    self.wake = wake
  }
}

package enum CacheReply: Hashable, Sendable {
  /// Answers the read of a turn.
  case serve(turn: Int, [ServedRow])
  /// Gives the read of a turn up.
  case fail(turn: Int)
  case fetch(id: Int, Target, since: StreamPosition?)
  /// Asks for the events after a position.
  case reconcile(id: Int, after: StreamPosition)
  /// Tells the views of a query what it lists now.
  case notify(query: Int, [ServedRow])
  /// Sends a write to the server.
  case send(token: Int)
  /// Stores a text for the client's next process, or removes it: `nil`.
  case store(key: String, String?)

  package enum Target: Hashable, Sendable {
    case query(Int)
    case object(UInt32)
  }
}

/// A row that a cache serves: which object, in which version.
package struct ServedRow: Hashable, Sendable {
  package var object: Int
  package var version: Int

  package init(object: Int, version: Int) {
    self.object = object
    self.version = version
  }
}
