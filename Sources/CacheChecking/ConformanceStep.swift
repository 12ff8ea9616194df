/// One step of a case: what happens, or what is right by then.
///
/// Between two steps a moment passes, and the server answers what it is asked, unless answers are held.
enum ConformanceStep: Sendable {
  typealias List = ConformanceWorld.List

  // MARK: What the user does

  /// A read, with its answer judged.
  case read(List, right: [Answer], poorer: [Poorer] = [])
  /// A view appears, which is a read, with its answer judged.
  case observe(List, right: [Answer], poorer: [Poorer] = [])
  case unobserve(List)
  case tag(List)
  /// An entity is opened, with its answer judged; it is named by any of its states.
  case open(String, right: [Answer], poorer: [Poorer] = [])
  /// A read that is judged later, by `judge`.
  case ask(List)
  case askToOpen(String)

  /// The user changes something.
  case write(Commit, Manner = .shownAtOnce)

  // MARK: What the server does

  case commit(Commit)
  /// The events with these sequences arrive, in this order. The first commit of a case has 2.
  case tell([Int])
  case heartbeat
  /// A new epoch begins.
  case restart
  /// It knows no longer what it did.
  case forget
  /// Whether it refuses all that it is asked.
  case refuse(Bool)

  /// The cache's process ends, at once, and another begins.
  case relaunch

  // MARK: What the link does

  case link(isUp: Bool)
  /// From now on answers are held back; they are those of the moment of asking.
  case hold
  case release(Release)
  /// Time passes, in seconds.
  case wait(Int)

  // MARK: What is right

  /// The answer of the first read that was not judged.
  case judge(right: [Answer], poorer: [Poorer] = [])
  /// What the views of a list were told since this was last asked.
  case told(List, right: String, poorer: Habit)
  /// How many requests are under way.
  case underWay(right: ClosedRange<Int>, poorer: ClosedRange<Int>, Habit)
  /// How many of the user's writes took effect at the server.
  case carriedOut(ClosedRange<Int>)
  /// What the server lists.
  case server(List, String)
  /// No write waits for an answer.
  case answered(poorer: Habit)
  /// How long after its answer a list is served from what is kept; a figure, not judged.
  case freshness(List)

  enum Commit: Sendable {
    /// States, all in one event.
    case change(String)
    /// The object of a state.
    case delete(String)
    /// States, of which the event says only that files may have changed.
    case untold(String)
    /// Tells of no entity.
    case nothing

    /// The first state that it names.
    var state: UInt32? {
      switch self {
      case .change(let names), .untold(let names):
        names.split(separator: " ").first.map { ConformanceWorld.state(String($0)) }
      case .delete(let name): ConformanceWorld.state(name)
      case .nothing: nil
      }
    }
  }

  /// How an app makes a change of its user.
  enum Manner: Sendable {
    case shownAtOnce
    case shownWhenConfirmed
    /// Sent once, and given up where no answer comes.
    case sentOnce
  }

  enum Release: Sendable {
    case inOrder
    case reversed
    /// The server fails.
    case refused
    /// The link is down: it is not known whether they arrived.
    case lost
  }

  /// An answer of a read.
  ///
  /// States are named in the order of the list; `*` is what the server has now.
  enum Answer: Hashable, Sendable {
    /// Served in its own turn.
    case kept(String)
    /// Served later.
    case asked(String)
    /// Either.
    case shown(String)
    /// Given up.
    case failed
    /// Not answered, as yet.
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

  /// What a cache may do and would better not.
  ///
  /// Who once did better in a case has not the habit: the poorer answer is then wrong.
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
