import CacheModel
import Containers

/// The fetches under way, one for each key.
struct InFlightRequests<Key: ResponseKey, Body: Sendable>: Sendable {
  struct Request: Sendable {
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

  private var requests: [RequestTicket: Request] = [:]
  private var tickets: [Key: RequestTicket] = [:]
  private var last: UInt64 = 0

  subscript(ticket: RequestTicket) -> Request? {
    get { requests[ticket] }
    set { requests[ticket] = newValue }
  }

  /// What the tables take, at the allocator's size classes; they stay as large as they have been.
  var tableBytes: Int {
    requests.allocatedBytes + tickets.allocatedBytes
  }

  /// Joins the flight of a key, if there is one.
  ///
  /// - Returns: whether what comes of it answers a request with these fields.
  mutating func join(
    _ key: Key, _ fields: [HTTPField], tag: TextKey?
  ) -> (ticket: RequestTicket, answers: Bool)? {
    guard let ticket = tickets[key], let request = requests[ticket] else { return nil }
    guard request.fields == fields, !request.isOutdated else { return (ticket, false) }
    if let tag, !request.tags.contains(tag) { requests[ticket]?.tags.append(tag) }
    return (ticket, true)
  }

  mutating func begin(
    _ key: Key, _ fields: [HTTPField], tag: TextKey?, reloads: Bool
  ) -> RequestTicket {
    last += 1
    let ticket = RequestTicket(number: last)
    tickets[key] = ticket
    requests[ticket] = Request(
      key: key, tags: tag.map { [$0] } ?? [], fields: fields, reloads: reloads)
    return ticket
  }

  mutating func end(_ ticket: RequestTicket) {
    guard let request = requests.removeValue(forKey: ticket) else { return }
    tickets[request.key] = nil
  }

  mutating func remove(_ tag: TextKey) {
    // Each by itself, so their order is of no account.
    requests = requests.mapValues { request in
      var request = request
      request.tags.removeAll { $0 == tag }
      return request
    }
  }

  mutating func outdate(_ key: Key) {
    if let ticket = tickets[key] { requests[ticket]?.isOutdated = true }
  }

  mutating func outdateAll() {
    requests = requests.mapValues { request in
      var request = request
      request.isOutdated = true
      request.tags = []
      return request
    }
  }
}
