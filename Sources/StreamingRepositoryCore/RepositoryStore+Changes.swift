package import CacheModel

/// A change of the user's that is not over.
struct PendingChange<Account: Hashable & Sendable>: Sendable {
  let number: ChangeNumber
  let account: Account
  /// Whether it shows before the server has answered.
  let isOptimistic: Bool
  /// The collections whose next answers have to come, by place.
  var places: [Int]
  /// Once the server has carried it out: an answer of this number or a later one has it.
  var isInAnswersFrom: RequestNumber?

  var isDone: Bool { isInAnswersFrom != nil }
}

extension RepositoryStore {
  /// Takes a change that the shell sends to the server.
  ///
  /// - Parameters:
  ///   - touched: the collections that it changes, to be fetched after it.
  ///   - isOptimistic: whether it shows at once.
  ///   - now: the time.
  /// - Returns: its number, and its account.
  /// - Throws: why it cannot be made: then nothing is shown or sent.
  package mutating func beginChange(
    of touched: [Collection], isOptimistic: Bool, at now: Instant
  ) throws(RepositoryError) -> (number: ChangeNumber, account: Account) {
    if let obstacle {
      guard case .offline = obstacle, planted(.changedOffline) else { throw obstacle }
    }
    guard let account else { throw .loggedOut }
    // What could not be taken away counts too, or a disk that is full forever would have it grow.
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

  /// The server has carried a change out: its collections are fetched, and it shows until they are written.
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

  /// The server has refused a change, or could not be reached: what shows of it is taken away.
  ///
  /// Where only the answer was lost, the server has it nevertheless: so its collections are fetched, the observed ones
  /// now. The caller is told when nothing shows any more.
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

  /// The changes that a written answer has.
  func settled(by request: RequestNumber, of place: Int) -> [ChangeNumber] {
    changes.compactMap { change in
      guard change.account == account, change.places.contains(place) else { return nil }
      if planted(.settledEarly) { return change.number }
      guard let first = change.isInAnswersFrom, request >= first else { return nil }
      return change.number
    }
  }

  /// Takes a collection away from changes that show above it no more.
  mutating func settle(_ numbers: [ChangeNumber], of place: Int) {
    guard !numbers.isEmpty else { return }
    for index in changes.indices where numbers.contains(changes[index].number) {
      changes[index].places.removeAll { $0 == place }
    }
    changes.removeAll { $0.isDone && $0.places.isEmpty }
  }
}
