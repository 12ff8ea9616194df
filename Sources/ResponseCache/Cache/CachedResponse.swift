public import Foundation

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
