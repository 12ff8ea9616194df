public import Foundation

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
