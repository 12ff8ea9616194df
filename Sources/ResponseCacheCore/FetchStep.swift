package import CacheModel
import Containers

/// Where a body came from.
public enum ResponseSource: String, Hashable, Sendable, CaseIterable {
  case memory
  case disk
  case network
}

/// Why a body may be shown.
public enum ResponseFreshness: Hashable, Sendable {
  /// The server has just sent it, or said that it is the present one.
  case confirmed
  /// It is younger than the server allows.
  case fresh
  /// No server can be reached.
  case offline
  /// The server was asked and did not answer: the body is past its time.
  case stale(ResponseOptions.Fault)
}

/// What a fetch yields.
package struct Served<Body: Sendable>: Sendable {
  package var body: Body
  package var kind: ResponseKind
  package var source: ResponseSource
  package var freshness: ResponseFreshness
  package var etag: String?
  /// The server's word for what it sent, or had sent.
  package var status: Int
  /// Of a body that the server has just sent as they came; else what is kept, and the age.
  package var fields: [HTTPField]
}

/// Why a fetch yields nothing.
package enum FetchFailure: Error, Hashable, Sendable {
  /// No server can be reached, and nothing is stored.
  case offline
  /// No server can be reached, and what is stored may not be used without asking one.
  case needsServer
  /// The server refuses, or fails.
  case status(Int)
  case timedOut
  /// The connection failed; in words.
  case transport(String)
  /// What came cannot be right; in words.
  case invalid(String)
}

/// A fetch of one key that has begun, whoever waits for it.
package struct RequestTicket: Hashable, Sendable {
  package var number: UInt64
}

/// What a fetch has to do next.
package enum FetchStep<Body: Sendable>: Sendable {
  case served(Served<Body>)
  case failed(FetchFailure)
  /// Read the file of that kind, then call `finishRead`.
  case read(RequestTicket, ResponseKind)
  /// Ask the server, for another body than the one that is stored if there is one, then call `finishExchange`.
  case exchange(RequestTicket, ResponseCondition?)
  /// Somebody does already: what comes of it is the answer.
  case join(RequestTicket)
  /// Somebody does something else for this key: fetch again once that has ended.
  case follow(RequestTicket)
}

/// What a file turned out to hold.
package enum BodyReading<Body: Sendable>: Sendable {
  /// - isSound: for a body without a known digest, whether it has the form of its kind.
  case found(Body, bytes: Int, digest: BodyDigest, isSound: Bool)
  case absent
  /// It cannot be read this time.
  case unreadable
}

/// What came of asking a server.
package enum Exchange<Body: Sendable>: Sendable {
  case answered(Answer<Body>)
  /// There is no network.
  case offline
  case timedOut
  case failed(String)
  /// It ended early, or is too long, or contradicts itself.
  case invalid(String)
}

/// An answer of a server.
package struct Answer<Body: Sendable>: Sendable {
  package var status: Int
  package var body: Body
  package var bytes: Int
  /// `nil`: not counted, since it is not to be stored.
  package var digest: BodyDigest?
  package var kind: ResponseKind
  package var etag: String?
  /// What its header says of storing it.
  package var fields: CacheFields
  /// The header, as it came.
  package var header: [HTTPField]
  /// When it was asked for.
  package var asked: Instant
  /// Whether the app lets it be stored.
  package var mayStore: Bool

  package init(
    status: Int, body: Body, bytes: Int, digest: BodyDigest?, kind: ResponseKind, etag: String?,
    fields: CacheFields, header: [HTTPField] = [], asked: Instant, mayStore: Bool = true
  ) {
    self.status = status
    self.body = body
    self.bytes = bytes
    self.digest = digest
    self.kind = kind
    self.etag = etag
    self.fields = fields
    self.header = header
    self.asked = asked
    self.mayStore = mayStore
  }
}

/// Somebody's wait for a tag to be kept.
package struct KeepTicket: Hashable, Sendable {
  package var number: UInt64
}

/// Whether a tag that a fetch brought is kept.
package enum KeepState: Hashable, Sendable {
  case waiting
  /// The body is in its file, and the tag in what is written of it.
  case kept
  /// The tag holds nothing.
  case failed(KeepFailure)
}

package enum KeepFailure: Hashable, Sendable {
  /// The server or the app forbids to store the answer.
  case notStorable
  /// The entry has as many tags as it may have.
  case tooManyTags
  /// It could not be written; in words.
  case notWritten(String)
  /// Somebody has removed the tag meanwhile, or everything.
  case removed
}

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
