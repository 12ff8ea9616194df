import CacheModel
import HeapModule
import NormalizedCacheCore
import RecordingCodec

enum PendingEvent {
  /// A delivery of the server arrives, as an index of the client's deliveries.
  case delivery(Int)
  /// The request reaches the server.
  case request(Request, roundTrip: Int64)
  /// The answer to a fetch, read by the server at an instant.
  case fetched(FetchID, FetchTarget, FetchResponse<Handle>, bytes: Int, readAt: Int64)
  case reconciled(ReconcileID, ReconcileResponse<Handle>, bytes: Int)
  case failed(Request, Failure)
  /// The storage's current batch is written, or rejected.
  case written
  /// The client's write reaches the server.
  case writeArrives(WriteRequest)
  case writeAnswered(WriteRequest, WriteAnswer)
  /// The event of the client's own write arrives, as an index of the server's commits.
  case ownEvent(Int)

  enum Request {
    case fetch(FetchID, FetchRequest)
    case reconcile(ReconcileID, after: StreamPosition, form: ReconcileForm)
  }

  enum Failure {
    /// The link was down during the transfer.
    case unreachable
    /// The server answered with an error.
    case refused
  }
}

extension PendingEvent.Failure {
  /// `nil` if the app did not see its end.
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
/// The heap contains only the time and the index of the rest: an answer takes hundreds of bytes, which would
/// be moved at every step up or down.
struct PendingEvents {
  private var dues = Heap<Due>()
  private var events: [PendingEvent?] = []
  private var free: [Int] = []
  private var nextOrdinal: UInt64 = 0

  private struct Due: Comparable, BitwiseCopyable {
    var at: Int64
    /// Breaks ties by order of insertion.
    var ordinal: UInt64
    var place: Int

    static func < (lhs: Due, rhs: Due) -> Bool {
      lhs.at != rhs.at ? lhs.at < rhs.at : lhs.ordinal < rhs.ordinal
    }
  }

  var isEmpty: Bool { dues.isEmpty }

  /// Removes all events, except those on the way to the server that change something there.
  mutating func removeAll() {
    var left = PendingEvents()
    while let due = dues.popMin() {
      guard case .writeArrives(let request)? = events[due.place] else { continue }
      left.insert(.writeArrives(request), at: due.at)
    }
    self = left
  }

  /// The time of the next event, in nanoseconds; `nil` if there is none.
  var nextInstant: Int64? { dues.min?.at }

  /// O(log events).
  mutating func insert(_ event: PendingEvent, at time: Int64) {
    let place = free.popLast() ?? events.count
    if place == events.count { events.append(event) } else { events[place] = event }
    dues.insert(Due(at: time, ordinal: nextOrdinal, place: place))
    nextOrdinal += 1
  }

  /// Removes and returns the next event; O(log events).
  mutating func popNext() -> PendingEvent? {
    guard let due = dues.popMin() else { return nil }
    free.append(due.place)
    return events[due.place].take()
  }
}
