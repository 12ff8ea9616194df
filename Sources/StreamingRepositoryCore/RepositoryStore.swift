package import CacheModel
import Containers

/// The decisions of a streaming repository, without clock, files, network or waiting.
///
/// The server is authoritative. Collections are fetched completely, for a reason (``RepositoryTrigger``), and
/// each answer is written completely; views read the file. The shell is the actor ``StreamingRepository``, or
/// a simulator in virtual time. After every call it performs the actions of `takeActions`, and one
/// operation on the file after the other: `nextOperation`, then `finishOperation`.
///
/// - `Collection`: the key of a collection.
/// - `Rows`: the rows of an answer.
package struct RepositoryStore<
  Collection: Hashable & Sendable, Account: Hashable & Sendable, Rows: Sendable
>: ~Copyable {
  package typealias Action = RepositoryAction<Collection, Account>
  package typealias Operation = RepositoryOperation<Collection, Account, Rows>

  package let options: RepositoryOptions
  package internal(set) var statistics = RepositoryStatistics()
  package internal(set) var account: Account?
  package internal(set) var isOnline = true
  package internal(set) var isStopped = false
  package var planted = DefectHook<PlantedRepositoryDefect>()

  /// The number of logins and logouts: requests of another session are not written.
  var session = 0
  var shownAccount: Account?
  /// The collections in the order in which they were first used.
  var collections: [CollectionState<Collection>] = []
  var places: [Collection: Int] = [:]
  var requests: [RequestNumber: Request] = [:]
  var lastRequest = 0
  var emissions = EmissionBuffer<Rows>()
  /// Changes that wait for the server, or are shown on top of its rows; oldest first.
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

  /// Creates a store from the state of a file.
  package init(
    _ options: RepositoryOptions, account: Account?, collections: [Collection] = []
  ) throws(RepositoryError) {
    try options.check()
    self.options = options
    self.account = account
    shownAccount = account
    for collection in collections { _ = place(of: collection) }
  }

  // MARK: The app's actions

  /// Reads a collection; the first view fetches it.
  ///
  /// - Complexity: O(1).
  package mutating func view(_ collection: Collection, at now: Instant) {
    view(place(of: collection), at: now)
  }

  /// Views a collection until `endObserving`.
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

  /// Fetches a collection now; the caller gets a result when the answer, or a later one, is written.
  package mutating func pull(_ collection: Collection, by caller: CallerNumber, at now: Instant) {
    ask(place(of: collection), .pull, by: caller, at: now)
  }

  package mutating func enterForeground(at now: Instant) {
    if let last = foregroundAt, now >= last, last.duration(to: now) < options.foregroundInterval {
      return
    }
    foregroundAt = now
    askForAll(.foreground, at: now)
  }

  /// Sets whether there is a network; triggers that occurred offline are made up for.
  package mutating func setOnline(_ isOnline: Bool, at now: Instant) {
    self.isOnline = isOnline
    guard isOnline else { return }
    for place in collections.indices {
      guard let trigger = collections[place].missed else { continue }
      collections[place].missed = nil
      if !planted(.missedForgotten) { ask(place, trigger, at: now) }
    }
  }

  /// Stops fetching and accepting changes until `start`.
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

  /// The time at which to call `advance`; `nil`: not needed.
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

  package mutating func advance(to now: Instant) {
    guard let poll = nextPoll, now >= poll else { return }
    polledAt = now
    for place in collections.indices where collections[place].observers > 0 {
      ask(place, .interval, at: now)
    }
  }

  // MARK: Answers

  /// Returns the actions since the last call, in order, and clears them.
  package mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  mutating func act(_ action: Action) { actions.append(action) }

  mutating func finish(_ callers: [CallerNumber], _ error: RepositoryError? = nil) {
    for caller in callers { act(.finish(caller, error)) }
  }

  package var isIdle: Bool {
    requests.isEmpty && emissions.count == 0 && chores.isEmpty && current == nil
  }

  /// Returns whether a collection is being fetched, or waits to be written.
  package func isUnderway(_ collection: Collection) -> Bool {
    guard let place = places[collection] else { return false }
    let state = collections[place]
    return !state.requests.isEmpty || state.following != nil || newestWaiting(place) != nil
  }

  /// Makes the next view of a collection fetch it.
  package mutating func outdate(_ collection: Collection) {
    collections[place(of: collection)].neededFrom = nextRequest
  }

  /// The heap memory of the store and its tables, at the allocator's size classes, without rows waiting to be
  /// written; O(1).
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

  package var collectionCount: Int { collections.count }

  package var waitingAnswers: Int { emissions.count }

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

  var nextRequest: RequestNumber { RequestNumber(lastRequest + 1) }
}

extension RepositoryStore {
  /// Logs in an account; stored rows of others remain.
  ///
  /// The caller gets a result when the file shows it.
  package mutating func logIn(_ account: Account, by caller: CallerNumber, at now: Instant) {
    if account != self.account {
      endSession()
      self.account = account
    }
    chores.append(Chore(.logIn(account), caller: caller, session: session))
    askForAll(.login, at: now)
  }

  /// Deletes all data of the current account, and of no other.
  ///
  /// The caller gets a result when the file has done so; if it fails, the account stays logged in.
  package mutating func logOut(by caller: CallerNumber, at now: Instant) {
    guard let account else {
      act(.finish(caller, .loggedOut))
      return
    }
    endSession()
    self.account = nil
    chores.append(Chore(.logOut(account), caller: caller, session: session))
  }

  /// Ends a session: none of its requests is written afterwards.
  private mutating func endSession() {
    session += 1
    endRequests(.loggedOut)
    for place in collections.indices {
      collections[place].neededFrom = nextRequest
      collections[place].writtenAt = nil
    }
    // Changes that the server has applied are in its next answer, for any account that requests it.
    for change in changes where change.isDone {
      chores.append(Chore(.hide(change.number, change.account), session: session))
    }
    changes.removeAll(where: \.isDone)
  }

  /// Restores the previous account after a failed login or logout.
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

/// A change by the user; later ones have larger numbers.
package struct ChangeNumber: Hashable, Sendable {
  package var rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A caller that waits for a result, numbered by the shell.
package struct CallerNumber: Hashable, Sendable {
  package var rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// A request of a store to its shell, other than operations on the file; any number at once.
package enum RepositoryAction<Collection: Hashable & Sendable, Account: Hashable & Sendable>:
  Sendable
{
  case fetch(RequestNumber, Collection, Account)
  /// The result of the request is no longer needed.
  case cancel(RequestNumber)
  /// Resume a caller, with an error if there is one.
  case finish(CallerNumber, RepositoryError?)
  /// Report a failure that no caller waits for.
  case report(Collection?, RepositoryTrigger?, RepositoryError)
}

/// An operation on the file: one at a time, each atomic.
package enum RepositoryOperation<
  Collection: Hashable & Sendable, Account: Hashable & Sendable, Rows: Sendable
>: Sendable {
  case logIn(Account)
  /// Delete all data of an account, which is no longer shown.
  case logOut(Account)
  /// Make a collection equal to the server's, and remove these changes on top of it.
  case write(Collection, Account, Rows, settling: [ChangeNumber])
  /// Show a change on top of the server's rows.
  case show(ChangeNumber, Account)
  case hide(ChangeNumber, Account)
}

package enum OperationResult: Sendable {
  case done
  case written(RowCounts)
  case failed(RepositoryError)
  /// Nothing was done.
  case cancelled

  package var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
