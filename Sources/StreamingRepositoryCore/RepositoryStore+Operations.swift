package import CacheModel

extension RepositoryStore {
  /// An operation on the file other than writing answers.
  struct Chore: Sendable {
    enum Work: Sendable {
      case logIn(Account)
      case logOut(Account)
      case show(ChangeNumber, Account)
      case hide(ChangeNumber, Account)

      var isOfAccount: Bool {
        switch self {
        case .logIn, .logOut: true
        case .show, .hide: false
        }
      }
    }

    let work: Work
    var caller: CallerNumber?
    let session: Int
    /// The earliest time of a retry.
    var notBefore: Instant?

    func isDue(at now: Instant) -> Bool { notBefore.map { $0 <= now } ?? true }

    init(_ work: Work, caller: CallerNumber? = nil, session: Int) {
      self.work = work
      self.caller = caller
      self.session = session
    }
  }

  struct Current: Sendable {
    enum Work: Sendable {
      case chore(Chore)
      case write(EmissionBuffer<Rows>.Emission, settling: [ChangeNumber])
    }

    let work: Work
    let session: Int
  }

  package func hasOperation(at now: Instant) -> Bool {
    guard current == nil else { return false }
    return emissions.count > 0 || chores.contains { $0.isDue(at: now) }
  }

  /// Returns the next operation on the file; `nil`: none now, or one is in progress.
  package mutating func nextOperation(at now: Instant) -> Operation? {
    guard current == nil else { return nil }
    if let index = chores.firstIndex(where: { $0.isDue(at: now) }) {
      let chore = chores.remove(at: index)
      current = Current(work: .chore(chore), session: session)
      switch chore.work {
      case .logIn(let account): return .logIn(account)
      case .logOut(let account): return .logOut(account)
      case .show(let number, let account): return .show(number, account)
      case .hide(let number, let account): return .hide(number, account)
      }
    }
    guard let account, let emission = emissions.takeFirst() else { return nil }
    let settling = settled(by: emission.request, of: emission.collection)
    current = Current(work: .write(emission, settling: settling), session: session)
    return .write(
      collections[emission.collection].collection, account, emission.rows, settling: settling)
  }

  package mutating func finishOperation(_ result: OperationResult, at now: Instant) {
    guard let ended = current else { return }
    current = nil
    switch ended.work {
    case .chore(let chore): finish(chore, result, at: now)
    case .write(let emission, let settling):
      finish(emission, settling, result, isOfSession: ended.session == session, at: now)
    }
  }

  private mutating func finish(_ chore: Chore, _ result: OperationResult, at now: Instant) {
    switch result {
    case .done, .written:
      switch chore.work {
      case .logIn(let account): shownAccount = account
      case .logOut: shownAccount = nil
      case .show, .hide: break
      }
      if let caller = chore.caller { act(.finish(caller, nil)) }
    case .cancelled:
      chores.insert(chore, at: 0)
    case .failed(let error):
      switch chore.work {
      case .logIn, .logOut:
        if let caller = chore.caller { act(.finish(caller, error)) }
        restoreAccount(at: now)
      case .show:
        act(.report(nil, .change, error))
      case .hide:
        act(.report(nil, .change, error))
        if let caller = chore.caller { act(.finish(caller, nil)) }
        guard !planted(.undoForgotten) else { return }
        var again = chore
        again.caller = nil
        again.notBefore = now.advanced(by: options.retryInterval)
        chores.append(again)
      }
    }
  }

  private mutating func finish(
    _ emission: EmissionBuffer<Rows>.Emission, _ settling: [ChangeNumber],
    _ result: OperationResult, isOfSession: Bool, at now: Instant
  ) {
    let place = emission.collection
    switch result {
    case .done, .written:
      if case .written(let rows) = result { statistics.rows += rows }
      statistics.written += 1
      guard isOfSession else { return }
      if let last = collections[place].writtenAt {
        statistics.refreshAges.add(last.duration(to: now))
      }
      collections[place].written = emission.request
      collections[place].writtenAt = now
      settle(settling, of: place)
      finish(collections[place].takeCallers(through: emission.request))
    case .failed(let error):
      statistics.failedWrites += 1
      guard isOfSession else { return }
      let callers = collections[place].takeCallers(through: emission.request)
      finish(callers, error)
      if callers.isEmpty { act(.report(collections[place].collection, nil, error)) }
    case .cancelled:
      guard isOfSession else { return }
      finish(collections[place].takeCallers(through: emission.request), .stopped)
    }
  }

  /// Returns the first inconsistency of the store, in O(n), for tests; `nil`: none.
  package func invariantFailure() -> String? {
    if emissions.count > collections.count { return "more answers wait than there are collections" }
    if changes.count > options.maximumChanges { return "more changes wait than may" }
    var onTheirWay = 0
    for state in collections {
      onTheirWay += state.requests.count
      if state.requests.count > options.maximumRequests {
        return "too many requests of a collection"
      }
      if state.requests != state.requests.sorted() { return "requests out of order" }
      if !state.requests.allSatisfy({ requests[$0] != nil }) { return "a request is not known" }
      if state.following != nil, state.requests.isEmpty { return "a request follows none" }
    }
    if onTheirWay != requests.count { return "a request of no collection" }
    return nil
  }
}

/// A change by the user that has not ended.
struct PendingChange<Account: Hashable & Sendable>: Sendable {
  let number: ChangeNumber
  let account: Account
  /// Whether it is shown before the server has answered.
  let isOptimistic: Bool
  /// The indices of collections whose next answers are required.
  var places: [Int]
  /// Set once the server has applied it: an answer with this number or a later one includes it.
  var isInAnswersFrom: RequestNumber?

  var isDone: Bool { isInAnswersFrom != nil }
}

extension RepositoryStore {
  /// Accepts a change that the shell sends to the server.
  ///
  /// - Throws: why it is not accepted: nothing is then shown or sent.
  package mutating func beginChange(
    of touched: [Collection], isOptimistic: Bool, at now: Instant
  ) throws(RepositoryError) -> (number: ChangeNumber, account: Account) {
    if let obstacle {
      guard case .offline = obstacle, planted(.changedOffline) else { throw obstacle }
    }
    guard let account else { throw .loggedOut }
    // Changes that could not be hidden count too; otherwise a full disk would make them grow without limit.
    guard changes.count + chores.count < options.maximumChanges else {
      throw .tooManyChanges(maximum: options.maximumChanges)
    }
    lastChange += 1
    let number = ChangeNumber(lastChange)
    changes.append(
      PendingChange(
        number: number, account: account, isOptimistic: isOptimistic,
        places: touched.map { place(of: $0) }))
    if isOptimistic { chores.append(Chore(.show(number, account), session: session)) }
    return (number, account)
  }

  /// Notes that the server has applied a change: its collections are fetched, and it is shown until they are
  /// written.
  package mutating func completeChange(_ number: ChangeNumber, at now: Instant) {
    guard let index = changes.firstIndex(where: { $0.number == number }) else { return }
    statistics.changes += 1
    let change = changes[index]
    changes[index].isInAnswersFrom = nextRequest
    let isAtHand = change.account == account
    if !change.isOptimistic || change.places.isEmpty || !isAtHand { changes.remove(at: index) }
    if change.isOptimistic, change.places.isEmpty || !isAtHand {
      chores.append(Chore(.hide(number, change.account), session: session))
    }
    guard isAtHand, !planted(.changeUnasked) else { return }
    for place in change.places {
      collections[place].neededFrom = nextRequest
      ask(place, .change, at: now)
    }
  }

  /// Undoes a change that the server refused, or did not answer.
  ///
  /// The server may have applied it if only the answer was lost, so its collections are fetched, observed
  /// ones at once. The caller gets the result when the change is no longer shown.
  package mutating func failChange(
    _ number: ChangeNumber, by caller: CallerNumber, at now: Instant
  ) {
    statistics.failedChanges += 1
    guard let index = changes.firstIndex(where: { $0.number == number }) else {
      act(.finish(caller, nil))
      return
    }
    let change = changes.remove(at: index)
    if change.account == account {
      for place in change.places {
        collections[place].neededFrom = nextRequest
        if collections[place].observers > 0 { ask(place, .change, at: now) }
      }
    }
    let waiting = chores.firstIndex { chore in
      if case .show(number, _) = chore.work { true } else { false }
    }
    if let waiting { chores.remove(at: waiting) }
    guard change.isOptimistic, waiting == nil else {
      act(.finish(caller, nil))
      return
    }
    chores.append(Chore(.hide(number, change.account), caller: caller, session: session))
  }

  func settled(by request: RequestNumber, of place: Int) -> [ChangeNumber] {
    changes.compactMap { change in
      guard change.account == account, change.places.contains(place) else { return nil }
      if planted(.settledEarly) { return change.number }
      guard let first = change.isInAnswersFrom, request >= first else { return nil }
      return change.number
    }
  }

  /// Removes a collection from changes that are no longer shown on top of it.
  mutating func settle(_ numbers: [ChangeNumber], of place: Int) {
    guard !numbers.isEmpty else { return }
    for index in changes.indices where numbers.contains(changes[index].number) {
      changes[index].places.removeAll { $0 == place }
    }
    changes.removeAll { $0.isDone && $0.places.isEmpty }
  }
}
