import CacheModel
import Containers

/// The fetches under way, one for each key.
struct Flights<Key: ResponseKey, Body: Sendable>: Sendable {
  struct Flight: Sendable {
    var key: Key
    /// To be added to the entry.
    var tags: [TextKey]
    /// Those of the request.
    var fields: [HTTPField]
    /// Whether the server is asked though the body is fresh.
    var reloads = false
    /// The body of the entry that it is about, by its number; 0: none.
    var number: UInt64 = 0
    /// What the server was asked to compare with.
    var condition: ResponseCondition?
    /// Why a body that is being read may be served; `nil`: it is read to tell which one it is.
    var freshness: ResponseFreshness?
    /// What it ends in where that body cannot be served.
    var failure: FetchFailure?
    /// A body that was read from the file.
    var body: (number: UInt64, body: Body)?
    /// The file could not be read; it is not tried again.
    var isUnreadable = false
    /// What comes of it is older than what the app has stored or removed since.
    var isOutdated = false
  }

  private var flights: [FlightTicket: Flight] = [:]
  private var tickets: [Key: FlightTicket] = [:]
  private var last: UInt64 = 0

  subscript(ticket: FlightTicket) -> Flight? {
    get { flights[ticket] }
    set { flights[ticket] = newValue }
  }

  /// What the tables take, at the allocator's size classes; they stay as large as they have been.
  var tableBytes: Int {
    flights.allocatedBytes + tickets.allocatedBytes
  }

  /// Joins the flight of a key, if there is one.
  ///
  /// - Returns: whether what comes of it answers a request with these fields.
  mutating func join(
    _ key: Key, _ fields: [HTTPField], tag: TextKey?
  ) -> (ticket: FlightTicket, answers: Bool)? {
    guard let ticket = tickets[key], let flight = flights[ticket] else { return nil }
    guard flight.fields == fields, !flight.isOutdated else { return (ticket, false) }
    if let tag, !flight.tags.contains(tag) { flights[ticket]?.tags.append(tag) }
    return (ticket, true)
  }

  mutating func begin(
    _ key: Key, _ fields: [HTTPField], tag: TextKey?, reloads: Bool
  ) -> FlightTicket {
    last += 1
    let ticket = FlightTicket(number: last)
    tickets[key] = ticket
    flights[ticket] = Flight(
      key: key, tags: tag.map { [$0] } ?? [], fields: fields, reloads: reloads)
    return ticket
  }

  mutating func end(_ ticket: FlightTicket) {
    guard let flight = flights.removeValue(forKey: ticket) else { return }
    tickets[flight.key] = nil
  }

  mutating func remove(_ tag: TextKey) {
    // Each by itself, so their order is of no account.
    flights = flights.mapValues { flight in
      var flight = flight
      flight.tags.removeAll { $0 == tag }
      return flight
    }
  }

  mutating func outdate(_ key: Key) {
    if let ticket = tickets[key] { flights[ticket]?.isOutdated = true }
  }

  mutating func outdateAll() {
    flights = flights.mapValues { flight in
      var flight = flight
      flight.isOutdated = true
      flight.tags = []
      return flight
    }
  }
}
