/// Why a collection is fetched.
public enum RepositoryTrigger: String, Hashable, Sendable, CaseIterable {
  /// A collection is read or observed that was not fetched since the login or the last foreground.
  case firstView
  /// The app has come to the foreground, or the repository was started again.
  case foreground
  /// A user has logged in.
  case login
  /// The user, or whoever else calls `refresh`.
  case pull
  /// The server has carried out a change of the user's.
  case change
  /// ``RepositoryOptions/interval`` has passed.
  case interval

  /// Whether an answer that is on its way will do, though the server may have read it before.
  var joins: Bool { self == .firstView || self == .interval }
}
