public import Foundation

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
