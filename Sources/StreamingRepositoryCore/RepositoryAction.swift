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
