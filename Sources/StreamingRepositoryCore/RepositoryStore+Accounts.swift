package import CacheModel

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
