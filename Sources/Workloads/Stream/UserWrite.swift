import CacheModel

/// A change that a user makes, drawn before any cache is asked.
///
/// It carries whole states, as the user saw them: of two writes of one entity, the one that reaches the
/// server last stands.
package struct UserWrite: Hashable, Sendable {
  /// Whose user makes it: a place among the workload's clients.
  package var client: UInt32
  /// A range of `Workload.items`: what the user changes, then what the server changes with it.
  package var items: Range<Int>
  /// Whether what the user changes was not there before.
  package var isCreation: Bool
  /// Whether the server refuses it, whatever there is by then.
  package var isRefused: Bool

  package init(client: UInt32, items: Range<Int>, isCreation: Bool, isRefused: Bool) {
    self.client = client
    self.items = items
    self.isCreation = isCreation
    self.isRefused = isRefused
  }
}

/// How an app makes the changes of its user.
package struct WriteHandling: Hashable, Sendable {
  package var through = Door.outbox
  package var shown = Showing.atOnce

  package init() {}

  package enum Door: String, Hashable, Sendable, CaseIterable {
    /// Kept until the server has answered, and sent in order, whenever it can be reached.
    case outbox
    /// Sent once, now; it fails where no answer comes.
    case request
  }

  package enum Showing: String, Hashable, Sendable, CaseIterable {
    case atOnce = "at-once"
    /// When the server has confirmed it.
    case confirmed
  }
}

/// What the link does to the events of a client's own writes, which are not drawn beforehand.
package struct EventTraffic: Hashable, Sendable {
  /// In nanoseconds.
  package var delay: Int64
  /// The mean of the exponentially distributed rest, in nanoseconds.
  package var jitter: Int64
  package var loss: Double
  /// When the faults of the network end, in nanoseconds.
  package var activeEnd: Int64

  package init(delay: Int64, jitter: Int64, loss: Double, activeEnd: Int64) {
    self.delay = delay
    self.jitter = jitter
    self.loss = loss
    self.activeEnd = activeEnd
  }
}
