/// How much a cache holds.
package enum ReplayCapacity: Hashable, Sendable {
  /// So many entities, whatever they weigh.
  case entities(Int)
  /// So many bytes of weight.
  case bytes(Int)

  /// The number, in the unit of the weights that a policy is told.
  var limit: Int {
    switch self {
    case .entities(let count), .bytes(let count): count
    }
  }

  var isInBytes: Bool {
    if case .bytes = self { true } else { false }
  }
}

/// What a replay of operations does with a trace.
package struct ReplayRules: Hashable, Sendable {
  /// What becomes of a copy when somebody else writes the entity.
  package enum Updates: String, Hashable, Sendable, CaseIterable {
    /// The cache is told: the copy stays in its place, and its next get is a coherence miss.
    case invalidate
    /// The cache is not told: the copy is served, and its gets are stale hits.
    case unseen
  }

  package var capacity: ReplayCapacity
  package var updates: Updates
  /// Nanoseconds that a copy lives where its line gives no lifetime; `nil`: forever.
  package var timeToLive: Int64?
  /// Nanoseconds from line to line where the trace has no times.
  package var interval: Int64

  package init(
    capacity: ReplayCapacity, updates: Updates = .invalidate, timeToLive: Int64? = nil,
    interval: Int64 = 0
  ) {
    self.capacity = capacity
    self.updates = updates
    self.timeToLive = timeToLive
    self.interval = interval
  }
}
