public import Foundation

/// A body, and why it may be shown.
public struct CachedResponse: Hashable, Sendable {
  public var body: Data
  public var kind: ResponseKind
  public var source: ResponseSource
  /// ``ResponseFreshness/stale(_:)`` where the server failed: say so to the user.
  public var freshness: ResponseFreshness
  public var etag: String?
  /// The server's status where it has sent the body; else 200.
  public var status: Int
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
