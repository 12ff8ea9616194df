// An app has the options, statistics and errors of the design with the design.
public import Foundation
@_exported public import ResponseCacheCore

/// What carries requests to servers and answers back; ``URLSessionTransport`` is one.
///
/// Its calls come from several tasks at once. It keeps nothing and follows no redirect: a status of 300 to 399 is an
/// answer like any other, since each URL has an answer of its own. A body has no content coding, nor does its header name
/// one that was undone. Where servers choose among answers by fields that the transport itself adds, the cache cannot tell:
/// pass those that change, like `Accept-Language`, with the fetch.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for all of the answer, whatever its status.
  ///
  /// - Throws: an error where there is no answer, or not all of it.
  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer
}

/// A request.
public struct HTTPCall: Hashable, Sendable {
  public var url: URL
  public var method: String
  public var fields: [HTTPField]
  public var body: Data?
  /// The largest body, in bytes, that is to be taken from the server.
  public var maximumBytes: Int

  public init(
    _ url: URL, method: String = "GET", fields: [HTTPField] = [], body: Data? = nil,
    maximumBytes: Int = 32 << 20
  ) {
    self.url = url
    self.method = method
    self.fields = fields
    self.body = body
    self.maximumBytes = maximumBytes
  }
}

/// An answer.
public struct HTTPAnswer: Hashable, Sendable {
  public var status: Int
  public var fields: [HTTPField]
  public var body: Data

  public init(status: Int, fields: [HTTPField], body: Data) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The first field of a name, in any case.
  func field(_ name: String) -> String? { fields.values(of: name).first }
}

/// Why there is no answer.
public enum HTTPTransportError: Error, Hashable, Sendable {
  /// There is no network.
  case offline
  case timedOut
  /// The connection cannot be made, or ends; in words.
  case failed(String)
  /// What came cannot be right; in words.
  case invalid(String)
}

/// A body, and why it may be shown.
public struct CachedResponse: Hashable, Sendable {
  /// Where the body is from: where redirects led, if there were any.
  public var url: URL
  public var body: Data
  public var kind: ResponseKind
  public var source: ResponseSource
  /// ``ResponseFreshness/stale(_:)`` where the server failed: say so to the user.
  public var freshness: ResponseFreshness
  public var etag: String?
  /// The server's status for the body.
  public var status: Int
  /// The server's header; of what is stored, the fields that are kept, and `Age`.
  public var fields: [HTTPField]
}

/// What is known of a stored body.
public struct ResponseEntry: Hashable, Sendable {
  public var kind: ResponseKind
  public var bytes: Int
  /// In order; none: it may go at any time.
  public var tags: [String]
  public var etag: String?
  public var staleAt: Date
  public var lastRead: Date
}

/// Why a response cache could not do what it was asked for.
public struct ResponseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Cause: Hashable, Sendable {
    /// No server can be reached, and nothing is stored.
    case offline
    /// No server can be reached, and what is stored may not be used without asking one.
    case needsServer
    /// The server's status; from 500 on nothing is stored, or the options forbid to serve it.
    case status(Int)
    case timedOut
    case transport(String)
    /// What came cannot be right.
    case invalidAnswer(String)
    /// No URL of a server, or too long.
    case invalidURL
    /// A field that no request can have, or that is the cache's own to send; its name.
    case invalidField(String)
    /// The URL is redirected in a circle, or too often.
    case redirectsWithoutEnd
    /// Empty, or too long.
    case invalidTag
    /// The server or the app forbids to store the answer, and a tag or a file was asked for.
    case notStorable
    case tooManyTags
    /// It could not be written that something is kept or removed.
    case notWritten(String)
    /// Somebody has removed the tag meanwhile, or everything.
    case removed
  }

  public var cause: Cause
  public var url: URL?
  /// What the server answered, where its status is the cause.
  public var answer: HTTPAnswer?

  public init(_ cause: Cause, url: URL? = nil, answer: HTTPAnswer? = nil) {
    self.cause = cause
    self.url = url
    self.answer = answer
  }

  public var description: String {
    words + (url.map { ": \($0.absoluteString.prefix(512))" } ?? "")
  }

  private var words: String {
    switch cause {
    case .offline: "offline, and nothing is stored"
    case .needsServer:
      "offline, and the server wants to be asked before what is stored is used: fetch online"
    case .status(let status): "the server answers with status \(status)"
    case .timedOut: "the server does not answer in time"
    case .transport(let words): "the connection fails: \(words)"
    case .invalidAnswer(let words): "the answer cannot be right: \(words)"
    case .invalidURL: "an absolute URL with http or https is needed, of at most 8192 bytes"
    case .invalidField(let name):
      "the field \(name.prefix(64)) cannot be sent by a fetch: remove it, or use send"
    case .redirectsWithoutEnd:
      "the server redirects in a circle, or more than \(ResponseCache.maximumRedirects) times"
    case .invalidTag: "a tag needs 1 to \(ResponseOptions.maximumTagBytes) bytes"
    case .notStorable:
      "the answer may not be stored: it has no max-age and no Expires, or the app forbids it"
    case .tooManyTags: "the entry has \(ResponseOptions.maximumTags) tags already"
    case .notWritten(let words): "it could not be written: \(words)"
    case .removed: "the tag has been removed meanwhile"
    }
  }

  init(_ failure: FetchFailure, url: URL, answer: HTTPAnswer?) {
    switch failure {
    case .offline: self.init(Cause.offline, url: url)
    case .needsServer: self.init(Cause.needsServer, url: url)
    case .status(let status): self.init(Cause.status(status), url: url, answer: answer)
    case .timedOut: self.init(Cause.timedOut, url: url)
    case .transport(let words): self.init(Cause.transport(words), url: url)
    case .invalid(let words): self.init(Cause.invalidAnswer(words), url: url)
    }
  }

  init(_ failure: KeepFailure, url: URL) {
    switch failure {
    case .notStorable: self.init(Cause.notStorable, url: url)
    case .tooManyTags: self.init(Cause.tooManyTags, url: url)
    case .notWritten(let words): self.init(Cause.notWritten(words), url: url)
    case .removed: self.init(Cause.removed, url: url)
    }
  }
}
