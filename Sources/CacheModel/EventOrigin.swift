/// What a batch of changes comes from.
public enum EventOrigin: String, Hashable, Sendable, CaseIterable {
  /// A job that goes through everything and tells of all that it finds.
  case index
  /// Somebody who watches, and tells of what has just changed.
  case watcher
  /// What a user did to several things at once.
  case user
}

/// What batches of one origin do otherwise than events in general.
public struct BatchRule: Hashable, Sendable {
  /// What becomes of entities in them that are not cached; `nil`: what events do.
  public var admission: EventAdmission?
  /// What happens to lists; `nil`: what events do.
  public var membership: Membership?
  /// Methods of which every list is stale after such a batch, whether it touched it or not.
  public var staleMethods: [QueryMethod]

  public init(
    admission: EventAdmission? = nil, membership: Membership? = nil,
    staleMethods: [QueryMethod] = []
  ) {
    self.admission = admission
    self.membership = membership
    self.staleMethods = staleMethods
  }
}
