import StreamingRepository

extension RepositoryRun {
  // MARK: What has to be fetched

  /// From here on a view must have the server's present state, or a newer one.
  mutating func need(_ collection: Int) {
    neededFrom[collection] = lastRequest + 1
    needed[collection] = account.map { server[$0, collection].version }
    isOld[collection] = true
  }

  mutating func needAll() {
    for collection in needed.indices { need(collection) }
  }

  mutating func endSession(_ next: Int?) {
    session += 1
    account = next
    missed = missed.map { _ in false }
    needAll()
  }

  private var canFetch: Bool { account != nil && !isStopped && isOnline }

  /// Notes the collections that a trigger could not fetch.
  mutating func noteMissed() {
    guard account != nil, !isStopped, !isOnline else { return }
    for collection in missed.indices
    where observers[collection] > 0 || store.options.fetchesUnobserved {
      missed[collection] = true
    }
  }

  // MARK: What is wrong

  /// Views a collection; the first view fetches it, and a later one does not.
  mutating func view(_ collection: Int, _ body: (inout Store) -> Void) {
    let before = store.statistics.requests
    body(&store)
    let sent = store.statistics.requests - before
    if !isOld[collection], sent > 0 { failure = "a collection is fetched for its age" }
    guard isOld[collection] else { return }
    if canFetch {
      if !isUnderway(collection) { failure = "a first view fetches nothing" }
    } else if account != nil, !isStopped {
      missed[collection] = true
    }
  }

  /// Triggers without a network must be made up for.
  mutating func judgeMadeUp() {
    for collection in missed.indices where missed[collection] && canFetch {
      if !isUnderway(collection) { failure = "what met no network is forgotten" }
      missed[collection] = false
    }
  }

  private func isUnderway(_ collection: Int) -> Bool {
    if store.requestsOnTheirWay(of: collection) > 0 || store.waitingAnswers > 0 { return true }
    if case .write(collection, _, _, _)? = operation { return true }
    return false
  }

  /// After every step.
  mutating func judge() {
    if failure == nil { failure = store.invariantFailure() }
    for change in changes + done where change.isOptimistic && shown.contains(change.number) {
      guard change.session == session, file.shownAccount == change.account else { continue }
      for collection in change.touched {
        let place = Place(account: change.account, collection: collection)
        let isLayer = file.layers.contains(.init(change: change.number, place: place))
        if !isLayer, file.rows[place]?.changes.contains(change.identity) != true {
          failure = "a change shows no more that was not refused"
        }
      }
    }
  }

  /// When an answer is about to be written.
  mutating func judgeWrite(_ answer: Answer, _ account: Int) {
    let place = Place(account: account, collection: answer.collection)
    if answer.account != account || account != file.shownAccount {
      failure = "rows are written of an account that is not at hand"
    }
    if answer.session != session { failure = "rows are written that another session asked for" }
    if answer.request <= lastWritten[place] ?? 0 {
      failure = "an answer is written after that of a later request"
    }
    lastWritten[place] = answer.request
  }

  /// The notification of a waiting caller.
  mutating func judge(_ caller: CallerNumber, _ error: RepositoryError?) {
    guard let told = pulls.removeValue(forKey: caller) else {
      failure = "a caller is told twice"
      return
    }
    guard let pull = told, error == nil else { return }
    if file.rows[pull.place].map({ $0.version < pull.version }) ?? true {
      failure = "a pull ends with older rows than the server had when it began"
    }
  }

  /// When everything has come to rest.
  mutating func judgeRest() {
    if !pulls.isEmpty { failure = "a caller is never told" }
    if !file.layers.isEmpty { failure = "a change shows though it is over" }
    if file.shownAccount != account { failure = "the file shows another account" }
    for collection in needed.indices {
      guard let account, let needed = needed[collection] else { continue }
      if file.rows[Place(account: account, collection: collection)].map({ $0.version < needed })
        ?? true
      {
        failure = "collection \(collection) is older than its last trigger"
      }
    }
  }
}
