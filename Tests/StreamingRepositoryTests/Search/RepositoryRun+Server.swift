import StreamingRepository

extension RepositoryRun {
  // MARK: The server and the file

  mutating func carryOutActions() {
    for action in store.takeActions() {
      switch action {
      case .fetch(let number, let collection, let account):
        let place = Place(account: account, collection: collection)
        requests.append(Request(number: number, place: place, session: session))
        lastRequest = number.rawValue
        missed[collection] = false
        if account != self.account { failure = "a collection of another account is fetched" }
        if !isOnline || isStopped { failure = "a collection is fetched that cannot be" }
      // Its answer may come nevertheless.
      case .cancel: break
      case .finish(let caller, let error): judge(caller, error)
      case .report: break
      }
    }
  }

  mutating func read(_ index: Int) {
    guard requests.indices.contains(index), requests[index].answer == nil else { return }
    let request = requests[index]
    var answer = server[request.place.account, request.place.collection]
    (answer.request, answer.session) = (request.number.rawValue, request.session)
    requests[index].answer = answer
  }

  mutating func answer(_ index: Int) {
    read(index)
    guard requests.indices.contains(index) else { return }
    let request = requests.remove(at: index)
    guard let answer = request.answer else { return }
    store.receive(answer, bytes: 1, for: request.number, at: now)
  }

  mutating func takeEffect(_ fails: Bool) {
    if operation == nil {
      operation = store.nextOperation(at: now)
      if case .write(_, let account, let answer, _)? = operation { judgeWrite(answer, account) }
    }
    guard let operation, result == nil else { return }
    if fails {
      result = .failed(.file(path: "model", "test"))
      return
    }
    result = .done
    switch operation {
    case .logIn(let account): file.shownAccount = account
    case .logOut(let account):
      file.removeAll(of: account)
      file.shownAccount = nil
    case .write(let collection, let account, let answer, let settling):
      let place = Place(account: account, collection: collection)
      file.rows[place] = answer
      for change in settling { file.layers.remove(.init(change: change, place: place)) }
    case .show(let change, let account):
      shown.insert(change)
      for collection in touched[change] ?? [] {
        let place = Place(account: account, collection: collection)
        file.layers.insert(.init(change: change, place: place))
      }
    case .hide(let change, _): file.removeLayers(of: change)
    }
  }

  mutating func finishOperation() {
    guard let operation, let finished = result else { return }
    (self.operation, result) = (nil, nil)
    if case .write(let collection, _, let answer, _) = operation, case .done = finished,
      answer.session == session
    {
      isOld[collection] = isOld[collection] && answer.request < neededFrom[collection]
    }
    store.finishOperation(finished, at: now)
    followAccount(operation, finished)
  }

  /// A login or logout that fails leaves the account that the file shows.
  mutating func followAccount(_ operation: Store.Operation, _ result: OperationResult) {
    guard case .failed = result, store.account != account else { return }
    switch operation {
    case .logIn, .logOut:
      if store.account != file.shownAccount { failure = "an account that the file does not show" }
      endSession(store.account)
      noteMissed()
    case .write, .show, .hide: break
    }
  }
}
