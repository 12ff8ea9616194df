package import CacheModel
package import RecordingCodec

/// A client: the user of a cache under test, and the deliveries of its link.
package struct ClientScript: Hashable, Sendable {
  package var name: String
  /// The user's actions, in order of time.
  package var actions: [SessionAction]
  /// The link's deliveries, in order of arrival: losses are absent, duplicates occur twice.
  package var deliveries: [Delivery]
  /// The periods in which the link is down: nothing is delivered and requests fail.
  ///
  /// In order, disjoint, half open.
  package var partitions: [Range<Instant>]
  /// The periods in which the server answers this client's requests with an error.
  ///
  /// In order, disjoint, half open.
  package var errors: [Range<Instant>]
  /// The times at which the app's process ends and another begins; in order.
  package var relaunches: [Instant] = []
  package var storageFaults: [StorageRefusal] = []
  /// The recorded answers to requests of the app's own cache, in order of the requests.
  package var answers: [RecordedAnswer] = []
  /// How the user's writes are sent.
  package var writing = WriteHandling()
  /// The periods in which the server applies this client's writes without answering.
  ///
  /// In order, disjoint, half open.
  package var silences: [Range<Instant>] = []
  /// The user's behaviour while a read waits.
  package var reaction: Reaction

  /// A user's behaviour while a view or an opened entity is not available yet.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    /// Goes on at the times in the script.
    case none
    /// Waits: all later actions are delayed accordingly.
    case waits
  }

  package init(
    name: String, actions: [SessionAction], deliveries: [Delivery],
    partitions: [Range<Instant>], errors: [Range<Instant>] = [], reaction: Reaction = .none
  ) {
    self.name = name
    self.actions = actions
    self.deliveries = deliveries
    self.partitions = partitions
    self.errors = errors
    self.reaction = reaction
  }
}

package struct SessionAction: Hashable, Sendable {
  package var at: Instant
  package var kind: Kind

  package enum Kind: Sendable, Hashable {
    /// Reads a query once (`Workload.queries`).
    case read(query: UInt32)
    /// Reads a query again for a view on screen, as for a new window or a focus; not a read by the user.
    case redraw(query: UInt32)
    /// Reads a query and observes it: a view on screen.
    case observe(query: UInt32)
    /// Leaves the view.
    case unobserve(query: UInt32)
    case tag(query: UInt32)
    /// Reads one entity by key (an inspector), as an object.
    ///
    /// `view` is the query on screen in which the user selected its row; `nil` if there was none, as after a
    /// notification or a link.
    case open(object: UInt32, view: UInt32? = nil)
    /// Performs a write (`Workload.writes`).
    case write(UInt32)
    case maintenance(Maintenance)

    package var isWrite: Bool { if case .write = self { true } else { false } }

    /// Whether it is a read by the user, not by the app itself.
    package var isReadOfUser: Bool {
      switch self {
      case .read, .observe, .open: true
      case .redraw, .unobserve, .tag, .write, .maintenance: false
      }
    }
  }

  package init(at: Instant, kind: Kind) {
    self.at = at
    self.kind = kind
  }
}

package struct Delivery: Hashable, Sendable {
  /// The time of arrival, without queueing on the link.
  package var at: Instant
  /// The time at which the server sent it; `nil` if unknown, as in the log of an app: it then arrives as
  /// recorded, and uses none of the link's bandwidth.
  package var sentAt: Instant?
  /// Whether later deliveries may arrive before it.
  package var isOvertaken: Bool
  package var content: Content

  package enum Content: Sendable, Hashable {
    /// The event of a mutation, as an index of `Workload.mutations`.
    case event(mutation: UInt32)
    /// The server's position at the time of sending.
    case heartbeat(StreamPosition)
  }

  package init(
    at: Instant, sentAt: Instant? = nil, isOvertaken: Bool = false, content: Content
  ) {
    self.at = at
    self.sentAt = sentAt
    self.isOvertaken = isOvertaken
    self.content = content
  }
}

/// An app's operation on its cache other than reads and writes.
package enum Maintenance: Hashable, Sendable {
  case untag(query: UInt32)
  /// Answers a query with the first rows of a longer list of the same.
  case take(query: UInt32, from: UInt32)
  case invalidate(query: UInt32)
  case clear
  /// Releases memory: at most this many billionths of the contents may remain.
  case release(billionths: UInt32)
}

/// A write by a user, generated before any cache is involved.
///
/// It contains whole states, as the user saw them: of two writes to one entity, the last to reach the server
/// wins.
package struct UserWrite: Hashable, Sendable {
  /// The client of the user, by its index in the workload.
  package var client: UInt32
  /// A range of `Workload.items`: the user's changes, then the server's dependent changes.
  package var items: Range<Int>
  /// Whether the user's change creates an entity.
  package var isCreation: Bool
  /// Whether the server refuses it in any case.
  package var isRefused: Bool
}

/// How an app sends its user's writes.
package struct WriteHandling: Hashable, Sendable {
  package var through = Door.outbox
  package var shown = Showing.atOnce

  package init() {}

  package enum Door: String, Hashable, Sendable, CaseIterable {
    /// Kept until the server has answered, and sent in order when it can be reached.
    case outbox
    /// Sent once, at once; it fails without an answer.
    case request
  }

  package enum Showing: String, Hashable, Sendable, CaseIterable {
    case atOnce = "at-once"
    /// When the server has confirmed it.
    case confirmed
  }
}

/// The link's effect on the events of a client's own writes, which are not generated beforehand.
package struct EventTraffic: Hashable, Sendable {
  /// The minimum transit time in nanoseconds.
  package var delay: Int64
  /// The mean of the additional, exponentially distributed time, in nanoseconds.
  package var jitter: Int64
  package var loss: Double
  /// The end of network faults, in nanoseconds.
  package var activeEnd: Int64
}
