import CacheModel

/// What ends later in virtual time; of one instant in the order in which it began.
struct Agenda<Event> {
  private var events: [(at: Instant, event: Event)] = []

  /// When the next of them ends.
  var next: Instant? { events.first?.at }

  mutating func add(_ event: Event, at instant: Instant) {
    let place = events.firstIndex { $0.at > instant } ?? events.endIndex
    events.insert((instant, event), at: place)
  }

  /// Takes the next that has ended.
  mutating func takeDue(at now: Instant) -> Event? {
    guard let first = events.first, first.at <= now else { return nil }
    return events.removeFirst().event
  }
}
