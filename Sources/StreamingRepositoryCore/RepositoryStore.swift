package import CacheModel
import Containers

/// Decides what a streaming repository does; no clock, no file, no network, no waiting.
///
/// The server is the only truth. Collections are fetched whole, for a reason (``RepositoryTrigger``), and each
/// answer is written whole; views read the file. The shell is the actor ``StreamingRepository``; another may
/// drive the store in virtual time. After every call it carries out what `takeActions` returns, and does one
/// operation on the file after the other: `nextOperation`, then `finishOperation`.
///
/// - `Collection`: names what is fetched as a whole.
/// - `Rows`: what an answer brings.
package struct RepositoryStore<
  Collection: Hashable & Sendable, Account: Hashable & Sendable, Rows: Sendable
>: ~Copyable {
  package typealias Action = RepositoryAction<Collection, Account>
  package typealias Operation = RepositoryOperation<Collection, Account, Rows>

  package let options: RepositoryOptions
  package internal(set) var statistics = RepositoryStatistics()
  /// Whose collections are fetched.
  package internal(set) var account: Account?
  package internal(set) var isOnline = true
  package internal(set) var isStopped = false
  package var planted = DefectHook<PlantedRepositoryDefect>()

  /// Counts logins and logouts: what was asked for in another session is not written.
  var session = 0
  /// The account that the file shows.
  var shownAccount: Account?
  /// In the order in which they were first named.
  var collections: [CollectionState<Collection>] = []
  var places: [Collection: Int] = [:]
  var requests: [RequestNumber: Request] = [:]
  var lastRequest = 0
  var emissions = EmissionBuffer<Rows>()
  /// Changes that wait for the server, or show above what the file has of it; oldest first.
  var changes: [PendingChange<Account>] = []
  var lastChange = 0
  var chores: [Chore] = []
  var current: Current?
  var foregroundAt: Instant?
  var polledAt: Instant?
  private var actions: [Action] = []

  struct Request: Sendable {
    var place: Int
    var trigger: RepositoryTrigger
  }

  /// Begins with what a file shows.
  package init(
    _ options: RepositoryOptions, account: Account?, collections: [Collection] = []
  ) throws(RepositoryError) {
    try options.check()
    self.options = options
    self.account = account
    shownAccount = account
    for collection in collections { _ = place(of: collection) }
  }

  // MARK: What the app does

  /// Reads a collection; the first view fetches it.
  ///
  /// - Complexity: O(1).
  package mutating func view(_ collection: Collection, at now: Instant) {
    view(place(of: collection), at: now)
  }

  /// Views a collection for as long as it takes until `endObserving`.
  package mutating func observe(_ collection: Collection, at now: Instant) {
    let place = place(of: collection)
    collections[place].observers += 1
    if polledAt == nil { polledAt = now }
    view(place, at: now)
  }

  package mutating func endObserving(_ collection: Collection) {
    let place = place(of: collection)
    collections[place].observers = max(0, collections[place].observers - 1)
  }

  private mutating func view(_ place: Int, at now: Instant) {
    let state = collections[place]
    guard !state.isCurrent, account != nil, !isStopped else { return }
    ask(place, .firstView, at: now)
  }

  /// Fetches a collection now; the caller is told when the answer, or a later one, is written.
  package mutating func pull(_ collection: Collection, by caller: CallerNumber, at now: Instant) {
    ask(place(of: collection), .pull, by: caller, at: now)
  }

  /// The app has come to the foreground.
  package mutating func enterForeground(at now: Instant) {
    if let last = foregroundAt, now >= last, last.duration(to: now) < options.foregroundInterval {
      return
    }
    foregroundAt = now
    askForAll(.foreground, at: now)
  }

  /// There is a network, or none; what met none is made up for.
  package mutating func setOnline(_ isOnline: Bool, at now: Instant) {
    self.isOnline = isOnline
    guard isOnline else { return }
    for place in collections.indices {
      guard let trigger = collections[place].missed else { continue }
      collections[place].missed = nil
      if !planted(.missedForgotten) { ask(place, trigger, at: now) }
    }
  }

  /// Fetches nothing more, and takes no changes, until `start`.
  package mutating func stop() {
    isStopped = true
    endRequests(.stopped)
  }

  package mutating func start(at now: Instant) {
    guard isStopped else { return }
    isStopped = false
    askForAll(.foreground, at: now)
  }

  // MARK: Time

  /// When `advance` should be called; `nil`: not for time alone.
  package var nextDeadline: Instant? {
    var next: Instant?
    for chore in chores {
      if let start = chore.notBefore { next = min(next ?? start, start) }
    }
    if let poll = nextPoll { next = min(next ?? poll, poll) }
    return next
  }

  private var nextPoll: Instant? {
    guard let interval = options.interval, !isStopped, isOnline, account != nil,
      collections.contains(where: { $0.observers > 0 })
    else { return nil }
    return (polledAt ?? .zero).advanced(by: interval)
  }

  /// Does what is due.
  package mutating func advance(to now: Instant) {
    guard let poll = nextPoll, now >= poll else { return }
    polledAt = now
    for place in collections.indices where collections[place].observers > 0 {
      ask(place, .interval, at: now)
    }
  }

  // MARK: Answers

  /// What has to be done since the last call, in order.
  package mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  mutating func act(_ action: Action) { actions.append(action) }

  mutating func finish(_ callers: [CallerNumber], _ error: RepositoryError? = nil) {
    for caller in callers { act(.finish(caller, error)) }
  }

  /// Whether nothing is on its way, and nothing waits to be done.
  package var isIdle: Bool {
    requests.isEmpty && emissions.count == 0 && chores.isEmpty && current == nil
  }

  /// Whether a collection is being fetched, or waits to be written.
  package func isUnderway(_ collection: Collection) -> Bool {
    guard let place = places[collection] else { return false }
    let state = collections[place]
    return !state.requests.isEmpty || state.following != nil || newestWaiting(place) != nil
  }

  /// Has the next view of a collection fetch it.
  package mutating func outdate(_ collection: Collection) {
    collections[place(of: collection)].neededFrom = nextRequest
  }

  /// What the store and its tables take, at the allocator's size classes, without rows that wait to be written; O(1).
  package var tableBytes: Int {
    AllocationSize.object(holding: MemoryLayout<Self>.size) + emissions.tableBytes
      + options.triggers.allocatedBytes
      + requests.allocatedBytes
      + places.allocatedBytes
      + AllocationSize.array(
        growingTo: collections.count, stride: MemoryLayout<CollectionState<Collection>>.stride)
      + AllocationSize.array(
        growingTo: changes.count, stride: MemoryLayout<PendingChange<Account>>.stride)
      // Each has had a request once.
      + collections.count
      * AllocationSize.array(growingTo: 1, stride: MemoryLayout<RequestNumber>.stride)
  }

  /// How many collections have been named.
  package var collectionCount: Int { collections.count }

  /// How many answers wait to be written.
  package var waitingAnswers: Int { emissions.count }

  /// How many requests of a collection are on their way.
  package func requestsOnTheirWay(of collection: Collection) -> Int {
    places[collection].map { collections[$0].requests.count } ?? 0
  }

  mutating func place(of collection: Collection) -> Int {
    if let place = places[collection] { return place }
    let place = collections.count
    collections.append(CollectionState(collection, neededFrom: nextRequest))
    places[collection] = place
    return place
  }

  /// The number that the next request will have.
  var nextRequest: RequestNumber { RequestNumber(lastRequest + 1) }
}

extension RepositoryStore {
  /// Makes an account the one at hand; what is stored of another stays.
  ///
  /// The caller is told when the file shows it.
  package mutating func logIn(_ account: Account, by caller: CallerNumber, at now: Instant) {
    if account != self.account {
      endSession()
      self.account = account
    }
    chores.append(Chore(.logIn(account), caller: caller, session: session))
    askForAll(.login, at: now)
  }

  /// Forgets all of the account at hand, and nothing of another.
  ///
  /// The caller is told when the file has; where it could not, the account stays logged in.
  package mutating func logOut(by caller: CallerNumber, at now: Instant) {
    guard let account else {
      act(.finish(caller, .loggedOut))
      return
    }
    endSession()
    self.account = nil
    chores.append(Chore(.logOut(account), caller: caller, session: session))
  }

  /// Nothing that was asked for is written after this.
  private mutating func endSession() {
    session += 1
    endRequests(.loggedOut)
    for place in collections.indices {
      collections[place].neededFrom = nextRequest
      collections[place].writtenAt = nil
    }
    // What the server has done is in its next answer, to whoever asks for it.
    for change in changes where change.isDone {
      chores.append(Chore(.hide(change.number, change.account), session: session))
    }
    changes.removeAll(where: \.isDone)
  }

  /// A login or logout has failed: the file shows whom it showed, and so does the repository.
  mutating func restoreAccount(at now: Instant) {
    guard !chores.contains(where: \.work.isOfAccount), account != shownAccount else { return }
    endSession()
    account = shownAccount
    if account != nil { askForAll(.login, at: now) }
  }
}

/// A request to the server; later ones have larger numbers.
package struct RequestNumber: Hashable, Comparable, Sendable {
  package var rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A change of the user's; later ones have larger numbers.
package struct ChangeNumber: Hashable, Sendable {
  package var rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// Whoever waits for something to end, numbered by the shell.
package struct CallerNumber: Hashable, Sendable {
  package var rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// What a store asks of its shell besides operations on the file; any number at once.
package enum RepositoryAction<Collection: Hashable & Sendable, Account: Hashable & Sendable>:
  Sendable
{
  /// Ask the server for the whole collection of an account.
  case fetch(RequestNumber, Collection, Account)
  /// What the request brings is not wanted any more.
  case cancel(RequestNumber)
  /// What a caller waited for has ended: well, or with an error.
  case finish(CallerNumber, RepositoryError?)
  /// Something failed that no caller waits for.
  case report(Collection?, RepositoryTrigger?, RepositoryError)
}

/// What a store asks to be done with the file: one at a time, each whole or not at all.
package enum RepositoryOperation<
  Collection: Hashable & Sendable, Account: Hashable & Sendable, Rows: Sendable
>: Sendable {
  /// Make an account the one whose rows are shown.
  case logIn(Account)
  /// Delete all that is stored of an account, which is shown no more.
  case logOut(Account)
  /// Make a collection what the server has, and take these changes away that show above it.
  case write(Collection, Account, Rows, settling: [ChangeNumber])
  /// Show a change above what the server has.
  case show(ChangeNumber, Account)
  /// Take it away again.
  case hide(ChangeNumber, Account)
}

/// What came of an operation.
package enum OperationResult: Sendable {
  case done
  case written(RowCounts)
  case failed(RepositoryError)
  /// Nothing was done.
  case cancelled

  package var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
