import CacheModel
import GRDB

extension StreamingRepository {
  /// The account whose rows are shown and fetched; `nil`: no user is logged in.
  public var account: String? { store.account?.text }

  /// The counts since the repository was opened.
  public var statistics: RepositoryStatistics {
    var statistics = store.statistics
    statistics.viewLatencies = views.latencies
    return statistics
  }

  /// Logs in an account, for this launch and the next, and fetches viewed tables.
  ///
  /// Stored rows of other accounts remain until those log out. Accounts are compared by their bytes in UTF-8:
  /// `é` as one scalar and as two are two accounts.
  ///
  /// - Throws: an error of the file, or ``RepositoryError/invalidAccount(_:)``; the account is then
  ///   unchanged.
  public func logIn(_ account: String) async throws(RepositoryError) {
    guard !account.utf8.contains(0) else {
      throw .invalidAccount("it contains a NUL character, which the file cannot hold")
    }
    let account = TextKey(account)
    try await wait { store, caller, now in store.logIn(account, by: caller, at: now) }
  }

  /// Deletes all stored data of the current account, and of no other.
  ///
  /// - Throws: an error of the file, and the account stays logged in; or ``RepositoryError/loggedOut``.
  public func logOut() async throws(RepositoryError) {
    try await wait { store, caller, now in store.logOut(by: caller, at: now) }
  }

  /// Fetches a table now, and waits until views can show it.
  ///
  /// The stored rows are then at least as new as the server's at the time of the call.
  ///
  /// - Throws: why not: ``RepositoryError/offline``, ``RepositoryError/source(_:)`` or another error.
  public func refresh<Row: RepositoryRow>(_ type: Row.Type) async throws(RepositoryError) {
    let name = TextKey(Row.databaseTableName)
    guard file.tables[name] != nil else { throw .unknownCollection(name.text) }
    try await wait { store, caller, now in store.pull(name, by: caller, at: now) }
  }

  /// Notifies the repository that the app has come to the foreground.
  public func enterForeground() {
    store.enterForeground(at: now())
    carryOut()
  }

  /// Sets whether there is a network; initially `true`.
  public func setOnline(_ isOnline: Bool) {
    store.setOnline(isOnline, at: now())
    carryOut()
  }

  /// Sends a change to the server, and fetches the changed tables.
  ///
  /// ```swift
  /// try await repository.change(Link.self, showing: [.remove(link.id)]) { account in
  ///   try await server.delete(link.id, of: account)
  /// }
  /// ```
  ///
  /// The call ends when the server has answered. The edits are shown on top of the server's rows, so that
  /// answers in flight do not make them flicker: until the server refuses the change, and they are removed
  /// before the call ends, or until an answer requested after the change is stored.
  ///
  /// - Parameters:
  ///   - type: the changed table.
  ///   - others: further changed tables, which are fetched too.
  ///   - edits: changes to show immediately; none: the change is visible with the server's answer.
  ///   - send: sends the change for the given account.
  /// - Returns: the result of `send`.
  /// - Throws: ``RepositoryError/offline`` or another error before anything was sent or shown, or the error
  ///   of `send`.
  public func change<Row: RepositoryRow, Answer: Sendable>(
    _ type: Row.Type, and others: [any RepositoryRow.Type] = [],
    showing edits: [RepositoryEdit<Row>] = [],
    send: @Sendable (_ account: String) async throws -> Answer
  ) async throws -> Answer {
    let touched = try touched(type, others)
    let encoded = try edits.map { try encode($0) }
    let begun = try store.beginChange(of: touched, isOptimistic: !edits.isEmpty, at: now())
    if !edits.isEmpty { self.edits[begun.number] = encoded }
    carryOut()
    do {
      let answer = try await send(begun.account.text)
      store.completeChange(begun.number, at: now())
      carryOut()
      return answer
    } catch {
      // Whatever happens to the file, the caller needs the result of the change.
      try? await wait { store, caller, now in
        store.failChange(begun.number, by: caller, at: now)
      }
      self.edits[begun.number] = nil
      throw error
    }
  }

  private func touched<Row: RepositoryRow>(
    _ type: Row.Type, _ others: [any RepositoryRow.Type]
  ) throws(RepositoryError) -> [TextKey] {
    var touched: [TextKey] = []
    for name in ([Row.databaseTableName] + others.map({ $0.databaseTableName })).map({ TextKey($0) }
    )
    where !touched.contains(name) {
      guard file.tables[name] != nil else { throw .unknownCollection(name.text) }
      touched.append(name)
    }
    return touched
  }

  private func encode<Row: RepositoryRow>(
    _ edit: RepositoryEdit<Row>
  ) throws(RepositoryError) -> EncodedEdit {
    let name = TextKey(Row.databaseTableName)
    guard let table = file.tables[name] else { throw .unknownCollection(name.text) }
    switch edit {
    case .put(let row): return .put(table: name, try EncodedRows([row], in: table))
    case .remove(let id):
      return .remove(table: name, id: try table.storable(id.databaseValue, in: RowTable.id))
    }
  }
}
