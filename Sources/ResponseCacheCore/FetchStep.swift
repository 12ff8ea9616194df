package import CacheModel

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
