import CacheModel
import GRDB

extension StreamingRepository {
  /// Whose rows views show, and are fetched; `nil`: no user is logged in.
  public var account: String? { store.account?.text }

  /// What was done since the repository was opened.
  public var statistics: RepositoryStatistics {
    var statistics = store.statistics
    statistics.viewLatencies = views.latencies
    return statistics
  }

  /// Makes an account the one at hand, in this launch and the next, and fetches what is viewed.
  ///
  /// What is stored of another account stays, until that one logs out. Accounts are told apart by their bytes in
  /// UTF-8: `é` as one scalar and as two name two accounts.
  ///
  /// - Throws: what is wrong with the file, or ``RepositoryError/invalidAccount(_:)``; the account is the one from
  ///   before then.
  public func logIn(_ account: String) async throws(RepositoryError) {
    guard !account.utf8.contains(0) else {
      throw .invalidAccount("it contains a NUL character, which the file cannot hold")
    }
    let account = TextKey(account)
    try await wait { store, caller, now in store.logIn(account, by: caller, at: now) }
  }

  /// Deletes all that is stored of the account at hand, and nothing of another.
  ///
  /// - Throws: what is wrong with the file, and the account stays logged in; or ``RepositoryError/loggedOut``.
  public func logOut() async throws(RepositoryError) {
    try await wait { store, caller, now in store.logOut(by: caller, at: now) }
  }

  /// Fetches a table now, and waits until views can show it.
  ///
  /// What the server had at the call, or newer, is stored then.
  ///
  /// - Throws: why not: ``RepositoryError/offline``, ``RepositoryError/source(_:)`` or another.
  public func refresh<Row: RepositoryRow>(_ type: Row.Type) async throws(RepositoryError) {
    let name = TextKey(Row.databaseTableName)
    guard file.tables[name] != nil else { throw .unknownCollection(name.text) }
    try await wait { store, caller, now in store.pull(name, by: caller, at: now) }
  }

  /// Tells the repository that the app has come to the foreground.
  public func enterForeground() {
    store.enterForeground(at: now())
    carryOut()
  }

  /// Tells the repository whether there is a network; at first it takes it that there is.
  public func setOnline(_ isOnline: Bool) {
    store.setOnline(isOnline, at: now())
    carryOut()
  }

  /// Has the server change something, and fetches what it has changed.
  ///
  /// ```swift
  /// try await repository.change(Link.self, showing: [.remove(link.id)]) { account in
  ///   try await server.delete(link.id, of: account)
  /// }
  /// ```
  ///
  /// The call ends when the server has answered. What it shows meanwhile stands above what the server has, so that
  /// answers do not make it flicker: until the server refuses, and it is taken away before the call ends, or until
  /// an answer is stored that was asked for after the change.
  ///
  /// - Parameters:
  ///   - type: the table that changes.
  ///   - others: further ones, which are fetched too.
  ///   - edits: what views show at once; none: the change shows when the server's answer comes.
  ///   - send: asks the server, for the account that it is handed.
  /// - Returns: what `send` returns.
  /// - Throws: ``RepositoryError/offline`` or another reason for which nothing was sent or shown, or what `send` throws.
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
      // Whatever becomes of the file, the caller wants to know what became of the change.
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
