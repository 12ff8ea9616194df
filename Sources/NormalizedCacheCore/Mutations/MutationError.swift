public import CacheModel

/// Why a mutation is not taken.
public enum MutationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A mutation of this token is pending already.
  case alreadyPending(MutationToken)
  /// So many mutations are pending that no more are taken.
  case tooManyPending(limit: Int)
  /// The pending mutations would have more edits than are taken.
  case tooManyEdits(count: Int, limit: Int)

  @inlinable public var description: String {
    switch self {
    case .alreadyPending(let token):
      "mutation \(token.rawValue) is pending already; give each mutation a token of its own"
    case .tooManyPending(let limit):
      "\(limit) mutations are pending; commit or roll back some before beginning another"
    case .tooManyEdits(let count, let limit):
      "the pending mutations would have \(count) edits, at most \(limit) are taken; "
        + "divide the mutation, or wait until others are settled"
    }
  }
}

/// The server refuses a mutation for good: sent again, it would be refused again.
///
/// Thrown by ``CacheSource/send(_:)``. Any other error counts as no answer, after which it is not
/// known whether the server carried the mutation out.
public struct MutationRejected: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why, in the server's words.
  public var reason: String

  public init(reason: String) {
    self.reason = reason
  }

  public var description: String { "the server rejected the mutation: \(reason)" }
}
