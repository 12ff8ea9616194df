package import CacheModel

/// What an app's cache found of a state and a list `as-shown`, whether it was shown or not.
package struct ListedPlace: Hashable, Sendable {
  package enum Belonging: String, Hashable, Sendable, CaseIterable {
    case listed
    case notListed = "not-listed"
    /// The app could not tell, and its cache asks again.
    case unknown
  }

  package var at: Instant
  /// An index of `Workload.queries`.
  package var query: UInt32
  /// An index of the catalog's states.
  package var state: UInt32
  package var belonging: Belonging
  /// The objects between which it stood; `nil`: at that end, as far as the cache knew.
  package var after: UInt32?
  package var before: UInt32?

  package init(
    at: Instant, query: UInt32, state: UInt32, belonging: Belonging, after: UInt32? = nil,
    before: UInt32? = nil
  ) {
    self.at = at
    self.query = query
    self.state = state
    self.belonging = belonging
    self.after = after
    self.before = before
  }
}
