package import CacheModel

extension RepositoryStore {
  /// What is to be done with the file besides writing answers.
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
    /// The session that it belongs to.
    let session: Int
    /// Set where it failed.
    var notBefore: Instant?

    func isDue(at now: Instant) -> Bool { notBefore.map { $0 <= now } ?? true }

    init(_ work: Work, caller: CallerNumber? = nil, session: Int) {
      self.work = work
      self.caller = caller
      self.session = session
    }
  }

  /// What is being done with the file.
  struct Current: Sendable {
    enum Work: Sendable {
      case chore(Chore)
      case write(EmissionBuffer<Rows>.Emission, settling: [ChangeNumber])
    }

    let work: Work
    let session: Int
  }

  /// Whether there is something to be done with the file now.
  package func hasOperation(at now: Instant) -> Bool {
    guard current == nil else { return false }
    return emissions.count > 0 || chores.contains { $0.isDue(at: now) }
  }

  /// The next thing to be done with the file; `nil`: nothing now, or something is being done.
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

  /// Takes what came of the operation at hand.
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

  /// What is wrong with the store, in O(n), for tests; `nil` where nothing is.
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
