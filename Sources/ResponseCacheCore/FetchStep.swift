package import CacheModel
import Containers

/// The source of a body.
public enum ResponseSource: String, Hashable, Sendable, CaseIterable {
  case memory
  case disk
  case network
}

/// Why a body may be shown.
public enum ResponseFreshness: Hashable, Sendable {
  /// The server has just sent or validated it.
  case confirmed
  /// Its age is within its lifetime.
  case fresh
  /// No server can be reached.
  case offline
  /// The server was asked and failed: the body is older than its lifetime.
  case stale(ResponseOptions.Fault)
}

package struct Served<Body: Sendable>: Sendable {
  package var body: Body
  package var kind: ResponseKind
  package var source: ResponseSource
  package var freshness: ResponseFreshness
  package var etag: String?
  /// The server's status of the current or the original answer.
  package var status: Int
  /// For a body that the server has just sent, all fields; otherwise the stored fields and the age.
  package var fields: [HTTPField]
}

/// Why a fetch has no result.
package enum FetchFailure: Error, Hashable, Sendable {
  /// No server can be reached, and nothing is stored.
  case offline
  /// No server can be reached, and the stored body requires validation.
  case needsServer
  /// The server refused or failed.
  case status(Int)
  case timedOut
  /// The connection failed; with a description.
  case transport(String)
  /// The answer is malformed; with a description.
  case invalid(String)
}

/// A fetch of one key in flight, for any number of callers.
package struct RequestTicket: Hashable, Sendable {
  package var number: UInt64
}

package enum FetchStep<Body: Sendable>: Sendable {
  case served(Served<Body>)
  case failed(FetchFailure)
  /// Read the file of this kind, then call `finishRead`.
  case read(RequestTicket, ResponseKind)
  /// Ask the server, conditionally if a body is stored, then call `finishExchange`.
  case exchange(RequestTicket, ResponseCondition?)
  /// Join the fetch in flight: its result is the answer.
  case join(RequestTicket)
  /// Wait for another operation on this key, then fetch again.
  case follow(RequestTicket)
}

package enum BodyReading<Body: Sendable>: Sendable {
  /// - isSound: for a body without a known digest, whether it has the form of its kind.
  case found(Body, bytes: Int, digest: BodyDigest, isSound: Bool)
  case absent
  /// The file cannot be read at this time.
  case unreadable
}

package enum Exchange<Body: Sendable>: Sendable {
  case answered(Answer<Body>)
  /// There is no network.
  case offline
  case timedOut
  case failed(String)
  /// It ended early, is too long, or is inconsistent.
  case invalid(String)
}

package struct Answer<Body: Sendable>: Sendable {
  package var status: Int
  package var body: Body
  package var bytes: Int
  /// `nil`: not computed, since the answer will not be stored.
  package var digest: BodyDigest?
  package var kind: ResponseKind
  package var etag: String?
  package var fields: CacheFields
  package var header: [HTTPField]
  package var asked: Instant
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

/// A caller's wait for a tag to be stored.
package struct KeepTicket: Hashable, Sendable {
  package var number: UInt64
}

/// Whether a fetch's tag is stored.
package enum KeepState: Hashable, Sendable {
  case waiting
  /// The body is in its file, and the tag in the metadata.
  case kept
  /// The tag was not stored.
  case failed(KeepFailure)
}

package enum KeepFailure: Hashable, Sendable {
  /// The server or the app does not allow storing the answer.
  case notStorable
  /// The entry has the maximum number of tags.
  case tooManyTags
  /// It could not be written; with a description.
  case notWritten(String)
  /// The tag, or everything, has been removed meanwhile.
  case removed
}

struct InFlightRequests<Key: ResponseKey, Body: Sendable>: Sendable {
  struct Request: Sendable {
    var key: Key
    var tags: [TextKey]
    var fields: [HTTPField]
    /// Whether the server is asked although the body is fresh.
    var reloads = false
    /// The number of the entry's body that it is about; 0: none.
    var number: UInt64 = 0
    var condition: ResponseCondition?
    /// Why a body that is being read may be served; `nil`: it is read to identify it.
    var freshness: ResponseFreshness?
    /// The failure if that body cannot be served.
    var failure: FetchFailure?
    /// A body read from the file.
    var body: (number: UInt64, body: Body)?
    /// The file could not be read; it is not retried.
    var isUnreadable = false
    /// The result is older than a later store or removal by the app.
    var isOutdated = false
  }

  private var requests: [RequestTicket: Request] = [:]
  private var tickets: [Key: RequestTicket] = [:]
  private var last: UInt64 = 0

  subscript(ticket: RequestTicket) -> Request? {
    get { requests[ticket] }
    set { requests[ticket] = newValue }
  }

  /// The tables' heap memory at the allocator's size classes; tables do not shrink.
  var tableBytes: Int {
    requests.allocatedBytes + tickets.allocatedBytes
  }

  /// Joins the fetch of a key, if there is one.
  ///
  /// - Returns: whether its result answers a request with these fields.
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
    // Each independently, so the order does not matter.
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
