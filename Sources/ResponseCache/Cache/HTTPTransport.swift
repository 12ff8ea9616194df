// Re-exported, so that an app gets the options, statistics and errors with the cache.
public import Foundation
@_exported public import ResponseCacheCore

/// Sends requests to servers; ``URLSessionTransport`` is the default implementation.
///
/// Calls come from several tasks at once. A transport must not cache or follow redirects: a status of 300 to
/// 399 is an answer like any other, since each URL has its own answer. It returns bodies decoded, and removes
/// the name of a removed content coding from the header. The cache does not see fields that the transport
/// adds: if servers select answers by a field that changes, like `Accept-Language`, pass it with the fetch.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the complete answer, whatever its status.
  ///
  /// - Throws: an error if there is no answer, or an incomplete one.
  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer
}

/// A request.
public struct HTTPCall: Hashable, Sendable {
  public var url: URL
  public var method: String
  public var fields: [HTTPField]
  public var body: Data?
  /// The maximum size of the body, in bytes.
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

  /// Returns the first value of a field, by case-insensitive name.
  func field(_ name: String) -> String? { fields.values(of: name).first }
}

/// Why a request has no answer.
public enum HTTPTransportError: Error, Hashable, Sendable {
  /// There is no network.
  case offline
  case timedOut
  /// The connection failed or was lost; with a description.
  case failed(String)
  /// The answer is malformed; with a description.
  case invalid(String)
}

/// A body, and why it may be shown.
public struct CachedResponse: Hashable, Sendable {
  /// The URL of the body: the target of any redirects.
  public var url: URL
  public var body: Data
  public var kind: ResponseKind
  public var source: ResponseSource
  /// The freshness; ``ResponseFreshness/stale(_:)`` if the server failed: tell the user.
  public var freshness: ResponseFreshness
  public var etag: String?
  /// The server's status.
  public var status: Int
  /// The server's header; for a stored body, the stored fields and `Age`.
  public var fields: [HTTPField]
}

/// The metadata of a stored body.
public struct ResponseEntry: Hashable, Sendable {
  public var kind: ResponseKind
  public var bytes: Int
  /// The tags in order; without tags the entry may be removed at any time.
  public var tags: [String]
  public var etag: String?
  public var staleAt: Date
  public var lastRead: Date
}

/// Why a response cache failed to do what was requested.
public struct ResponseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Cause: Hashable, Sendable {
    /// No server can be reached, and nothing is stored.
    case offline
    /// No server can be reached, and the stored body requires validation.
    case needsServer
    /// The server's status; from 500 on, nothing is stored, or the options do not allow a stale body.
    case status(Int)
    case timedOut
    case transport(String)
    /// The answer is malformed.
    case invalidAnswer(String)
    /// The URL is not one of a server, or too long.
    case invalidURL
    /// The field is invalid, or set by the cache itself; with its name.
    case invalidField(String)
    /// Too many redirects, or a loop.
    case redirectsWithoutEnd
    /// The tag is empty, or too long.
    case invalidTag
    /// The server or the app does not allow storing the answer, but a tag or a file was requested.
    case notStorable
    case tooManyTags
    /// The tag, or a removal, could not be written.
    case notWritten(String)
    /// The tag, or everything, has been removed meanwhile.
    case removed
  }

  public var cause: Cause
  public var url: URL?
  /// The server's answer, if its status is the cause.
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
