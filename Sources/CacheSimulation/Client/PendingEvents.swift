import CacheModel
import HeapModule
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
  /// `nil` if the app did not see the end of it.
  init?(_ failure: RecordedAnswer.Failure) {
    switch failure {
    case .unreachable: self = .unreachable
    case .refused: self = .refused
    case .unanswered: return nil
    }
  }
}

/// The later effects of requests, the earliest first.
///
/// The heap has only the time and the place of the rest: an answer takes hundreds of bytes, which would be
/// moved at every step up or down.
struct PendingEvents {
  private var dues = Heap<Due>()
  private var events: [PendingEvent?] = []
  private var free: [Int] = []
  private var nextOrdinal: UInt64 = 0

  private struct Due: Comparable, BitwiseCopyable {
    var at: Int64
    /// Breaks ties: what was put in first comes first.
    var ordinal: UInt64
    var place: Int

    static func < (lhs: Due, rhs: Due) -> Bool {
      lhs.at != rhs.at ? lhs.at < rhs.at : lhs.ordinal < rhs.ordinal
    }
  }

  var isEmpty: Bool { dues.isEmpty }

  /// Nothing of it happens, but what is on its way to the server and changes something there.
  mutating func removeAll() {
    var left = PendingEvents()
    while let due = dues.popMin() {
      guard case .writeArrives(let request)? = events[due.place] else { continue }
      left.insert(.writeArrives(request), at: due.at)
    }
    self = left
  }

  /// When the next event happens, in nanoseconds; `nil` if there is none.
  var nextInstant: Int64? { dues.min?.at }

  /// O(log events).
  mutating func insert(_ event: PendingEvent, at time: Int64) {
    let place = free.popLast() ?? events.count
    if place == events.count { events.append(event) } else { events[place] = event }
    dues.insert(Due(at: time, ordinal: nextOrdinal, place: place))
    nextOrdinal += 1
  }

  /// Takes the next event; O(log events).
  mutating func popNext() -> PendingEvent? {
    guard let due = dues.popMin() else { return nil }
    free.append(due.place)
    return events[due.place].take()
  }
}
