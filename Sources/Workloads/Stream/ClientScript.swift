package import CacheModel

/// A cache under test: what its user does, and what its link delivers.
package struct ClientScript: Hashable, Sendable {
  package var name: String
  /// What the user does, in order of time.
  package var actions: [SessionAction]
  /// What the link delivers, in order of arrival: losses are absent, duplicates occur twice.
  package var deliveries: [Delivery]
  /// When the link is down: nothing is delivered and requests fail.
  ///
  /// In order, disjoint, half open.
  package var partitions: [Range<Instant>]
  /// When the server answers this client's requests with an error.
  ///
  /// In order, disjoint, half open.
  package var errors: [Range<Instant>]

  package init(
    name: String, actions: [SessionAction], deliveries: [Delivery],
    partitions: [Range<Instant>], errors: [Range<Instant>] = []
  ) {
    self.name = name
    self.actions = actions
    self.deliveries = deliveries
    self.partitions = partitions
    self.errors = errors
  }
}

package struct SessionAction: Hashable, Sendable {
  package var at: Instant
  package var kind: Kind

  package enum Kind: Sendable, Hashable {
    /// Asks a query once (`Workload.queries`).
    case read(query: UInt32)
    /// Asks a query and goes on watching it: a view on screen.
    case observe(query: UInt32)
    /// The view is gone.
    case unobserve(query: UInt32)
    /// Marks a query as one to be kept at hand.
    case tag(query: UInt32)
    /// Asks for one entity by key (an inspector), as an object.
    case open(object: UInt32)
  }

  package init(at: Instant, kind: Kind) {
    self.at = at
    self.kind = kind
  }
}

package struct Delivery: Hashable, Sendable {
  package var at: Instant
  package var content: Content

  package enum Content: Sendable, Hashable {
    /// The event of a mutation, as an index of `Workload.mutations`.
    case event(mutation: UInt32)
    /// The server's position at the time of sending.
    case heartbeat(StreamPosition)
  }

  package init(at: Instant, content: Content) {
    self.at = at
    self.content = content
  }
}
