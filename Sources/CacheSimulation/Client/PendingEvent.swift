import CacheModel
import NormalizedCacheCore
import RecordingCodec
import Workloads

/// Something that a request brings about later.
enum PendingEvent {
  /// What the server sent arrives, as an index of the client's deliveries.
  case delivery(Int)
  /// The request reaches the server.
  case request(Request, roundTrip: Int64)
  /// The answer to a fetch, as the server read it at an instant.
  case fetched(FetchID, FetchTarget, FetchResponse<Handle>, bytes: Int, readAt: Int64)
  case reconciled(ReconcileID, ReconcileResponse<Handle>, bytes: Int)
  case failed(Request, Failure)
  /// The batch that is on its way to the storage is written, or refused.
  case written
  /// The client's write reaches the server.
  case writeArrives(WriteRequest)
  case writeAnswered(WriteRequest, WriteAnswer)
  /// The event of the client's own write arrives, as a place among the server's commits.
  case ownEvent(Int)

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
}

extension PendingEvent.Failure {
  /// `nil` where the app did not see the end of it.
  init?(_ failure: RecordedAnswer.Failure) {
    switch failure {
    case .unreachable: self = .unreachable
    case .refused: self = .refused
    case .unanswered: return nil
    }
  }
}
