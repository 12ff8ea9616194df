/// The newest events of a stream, for those who missed some; older ones are let go.
package struct EventLog: Sendable {
  private struct Entry {
    var event: WireMessage
    var bytes: Int
  }

  package let maximumEvents: Int
  package let maximumBytes: Int
  /// A ring: the oldest entry stands at `head` once it is full.
  private var entries: [Entry?]
  private var head = 0
  private(set) var count = 0
  private(set) var bytes = 0
  /// The sequence of the newest event; 0 before the first.
  package private(set) var last: UInt64 = 0

  /// - Precondition: it holds at least one event.
  package init(maximumEvents: Int, maximumBytes: Int) {
    precondition(maximumEvents > 0, "a log of no events remembers nothing")
    self.maximumEvents = maximumEvents
    self.maximumBytes = maximumBytes
    entries = Array(repeating: nil, count: maximumEvents)
  }

  /// The sequence after which everything is still here.
  package var reachesBackTo: UInt64 { last - UInt64(count) }

  /// Takes the next event; lets go of as many old ones as the limits ask.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - lineBytes: the length of its line.
  /// - Precondition: its sequence is the next.
  package mutating func append(_ event: WireMessage, bytes lineBytes: Int) {
    precondition(event.sequence == last + 1, "the log has \(last), \(event.sequence) is not next")
    if count == maximumEvents { dropOldest() }
    entries[(head + count) % maximumEvents] = Entry(event: event, bytes: lineBytes)
    count += 1
    bytes += lineBytes
    last = event.sequence
    while bytes > maximumBytes, count > 1 { dropOldest() }
  }

  /// The events after a sequence, at least one if there is one, and then as many as fit.
  ///
  /// - Returns: `nil` where the log does not reach back so far, or has not come so far.
  package func page(after sequence: UInt64, maximumBytes: Int) -> [WireMessage]? {
    guard sequence >= reachesBackTo, sequence <= last else { return nil }
    var page: [WireMessage] = []
    var room = maximumBytes
    for offset in Int(sequence - reachesBackTo)..<count {
      guard let entry = entries[(head + offset) % maximumEvents] else { break }
      room -= entry.bytes
      guard room >= 0 || page.isEmpty else { break }
      page.append(entry.event)
    }
    return page
  }

  private mutating func dropOldest() {
    bytes -= entries[head]?.bytes ?? 0
    entries[head] = nil
    head = (head + 1) % maximumEvents
    count -= 1
  }
}
