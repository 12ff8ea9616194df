/// One step of a case: an operation, or an expectation.
///
/// Between two steps a moment passes, and the server answers all requests, unless answers are held.
enum ConformanceStep: Sendable {
  typealias List = ConformanceWorld.List

  // MARK: User

  /// A read whose answer is judged.
  case read(List, right: [Answer], poorer: [Poorer] = [])
  /// A view appears: a read whose answer is judged.
  case observe(List, right: [Answer], poorer: [Poorer] = [])
  case unobserve(List)
  case tag(List)
  /// An entity is opened, and the answer is judged; any of its states names it.
  case open(String, right: [Answer], poorer: [Poorer] = [])
  /// A read judged later, by `judge`.
  case ask(List)
  case askToOpen(String)

  /// The user makes a change.
  case write(Commit, Manner = .shownAtOnce)

  // MARK: Server

  case commit(Commit)
  /// The events with these sequence numbers arrive, in this order. The first commit of a case has number 2.
  case tell([Int])
  case heartbeat
  /// A new epoch begins.
  case restart
  /// The server forgets its commits.
  case forget
  /// Whether the server refuses all requests.
  case refuse(Bool)

  /// The cache's process ends at once, and another begins.
  case relaunch

  // MARK: Link

  case link(isUp: Bool)
  /// Answers are held back from now on; they have the server's state at the time of the request.
  case hold
  case release(Release)
  /// Time passes, in seconds.
  case wait(Int)

  // MARK: Expected answers

  /// The answer of the first unjudged read.
  case judge(right: [Answer], poorer: [Poorer] = [])
  /// The notifications of a list's views since the last such step.
  case told(List, right: String, poorer: Habit)
  /// The number of requests in flight.
  case underWay(right: ClosedRange<Int>, poorer: ClosedRange<Int>, Habit)
  /// The number of the user's writes applied by the server.
  case carriedOut(ClosedRange<Int>)
  /// The server's rows of a list.
  case server(List, String)
  /// Checks that no write waits for an answer.
  case answered(poorer: Habit)
  /// Measures how long after its answer a list is served from the cache; a figure, not judged.
  case freshness(List)

  enum Commit: Sendable {
    /// Changes to these states, in one event.
    case change(String)
    case delete(String)
    /// Changes to these states; the event only says that files may have changed.
    case untold(String)
    /// An event that concerns no entity.
    case nothing

    /// The first state in the text.
    var state: UInt32? {
      switch self {
      case .change(let names), .untold(let names):
        names.split(separator: " ").first.map { ConformanceWorld.state(String($0)) }
      case .delete(let name): ConformanceWorld.state(name)
      case .nothing: nil
      }
    }
  }

  /// How an app makes a user's change.
  enum Manner: Sendable {
    case shownAtOnce
    case shownWhenConfirmed
    /// Sent once, and given up without an answer.
    case sentOnce
  }

  enum Release: Sendable {
    case inOrder
    case reversed
    case refused
    /// The link is down: it is unknown whether the write arrived.
    case lost
  }

  /// An answer to a read.
  ///
  /// States are in the order of the list; `*` is the server's current list.
  enum Answer: Hashable, Sendable {
    /// Served in the same turn.
    case kept(String)
    /// Served later.
    case asked(String)
    /// In the same turn or later.
    case shown(String)
    case failed
    /// Not answered yet.
    case none
  }

  struct Poorer: Sendable {
    var answer: Answer
    var habit: Habit

    init(_ answer: Answer, _ habit: Habit) {
      self.answer = answer
      self.habit = habit
    }
  }

  /// A poorer behaviour that is allowed.
  ///
  /// If the cache once does better in a case, the poorer answer is wrong from then on.
  enum Habit: String, Sendable {
    case keepsNothing = "it asks again for what it was sent a moment ago"
    case ignoresEvents = "it shows what was before the event: it does not follow events"
    case keepsOrder = "it changes rows where they stand, and leaves the list as it was"
    case leavesGap = "it does not fill up the place of the row that is gone"
    case missesGaps = "it does not notice that events are missing"
    case overwrites = "it takes an answer that is older than an event over the event"
    case sharesNothing = "it asks for an entity that a list has brought"
    case asksTwice = "it asks more than once for one thing at one time"
    case showsNothingOffline = "without a link it does not show what it has"
    case waitsOffline = "it lets a read wait that cannot be answered now"
    case neverAsks = "it never asks again by itself: what no event told it shows for ever"
    case tellsNoView = "it does not tell a view what changed"
    case repeatsItself = "it tells views what they show already: that `notify` is superfluous"
    case tellsLate = "an answer that waited is not the newest that it was told"
    case showsLate = "it shows the user's change only when the server has confirmed it"
    case sendsNotAgain = "it does not send again by itself what was not answered"
    case forgetsAtEnd = "it does not have what its process before had been sent long ago"
    case failsOpening = "it gives up where there is no such entity"
  }
}
