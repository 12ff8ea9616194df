import CacheModel
import NormalizedCache

/// Something that a request brings about later.
struct PendingEvent: Comparable {
  var at: Int64
  /// Breaks ties: what was put in first comes first.
  var ordinal: UInt64
  var kind: Kind

  enum Kind {
    /// The request reaches the server.
    case request(Request, roundTrip: Int64)
    case fetched(FetchID, FetchTarget, FetchResponse<Handle>, bytes: Int)
    case reconciled(ReconcileID, ReconcileResponse<Handle>, bytes: Int)
    case failed(Request, Failure)
  }

  enum Request {
    case fetch(FetchID, FetchRequest)
    case reconcile(ReconcileID, after: StreamPosition, form: ReconcileForm)
  }

  enum Failure {
    /// The link was down on the way.
    case unreachable
    /// The server answered with an error.
    case refused
  }

  static func < (lhs: PendingEvent, rhs: PendingEvent) -> Bool {
    lhs.at != rhs.at ? lhs.at < rhs.at : lhs.ordinal < rhs.ordinal
  }

  static func == (lhs: PendingEvent, rhs: PendingEvent) -> Bool {
    lhs.at == rhs.at && lhs.ordinal == rhs.ordinal
  }
}
