package import CacheModel

/// The limits that the caches of a comparison share.
package struct SharedLimits: Hashable, Sendable {
  package var capacity: Capacity
  package var maximumQueries: Int?

  package init(capacity: Capacity, maximumQueries: Int?) {
    self.capacity = capacity
    self.maximumQueries = maximumQueries
  }

  package static let none = SharedLimits(capacity: .unlimited, maximumQueries: nil)
}
