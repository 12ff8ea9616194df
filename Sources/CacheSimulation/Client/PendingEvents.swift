import HeapModule

/// What requests bring about later, the earliest first.
///
/// The heap holds only when, and where the rest lies: an answer takes hundreds of bytes, which would be
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

  /// When the next event happens, in nanoseconds; `nil` where there is none.
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
