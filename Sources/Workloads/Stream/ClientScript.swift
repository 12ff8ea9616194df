package import CacheModel
package import RecordingCodec

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
  /// When the app's process ends and another begins; in order.
  package var relaunches: [Instant] = []
  /// When the storage refuses what is to be written.
  package var storageFaults: [StorageRefusal] = []
  /// When the answers to the requests of the app's own cache came, in order of asking, where it recorded
  /// that.
  package var answers: [RecordedAnswer] = []
  /// How the user's changes are made.
  package var writing = WriteHandling()
  /// When the server carries out what this client writes, and never says so.
  ///
  /// In order, disjoint, half open.
  package var silences: [Range<Instant>] = []
  /// What the user does while a read waits.
  package var reaction: Reaction

  /// What a user does while a view, or an entity that was opened, is not there yet.
  package enum Reaction: String, Hashable, Sendable, CaseIterable {
    /// Goes on at the times in the script.
    case none
    /// Waits: all later actions are postponed by the wait.
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
    /// Asks a query once (`Workload.queries`).
    case read(query: UInt32)
    /// A view that is on screen asks its query again by itself, as for a new window or a focus: no
    /// read of the user's.
    case redraw(query: UInt32)
    /// Asks a query and goes on watching it: a view on screen.
    case observe(query: UInt32)
    /// The view is gone.
    case unobserve(query: UInt32)
    /// Marks a query as one to be kept at hand.
    case tag(query: UInt32)
    /// Asks for one entity by key (an inspector), as an object.
    ///
    /// `view` is the query on screen in which the user picked its row; `nil` if there was none, as
    /// after a notification or a link.
    case open(object: UInt32, view: UInt32? = nil)
    /// Changes something (`Workload.writes`).
    case write(UInt32)
    case maintenance(Maintenance)

    package var isWrite: Bool { if case .write = self { true } else { false } }

    /// Whether a user asks for something here, rather than the app by itself.
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
  /// When it arrives where nothing waits for anything on the link.
  package var at: Instant
  /// When the server put it on the link; `nil` if that is not known, as in the log of an app: then it
  /// arrives as recorded, and takes none of the link's bandwidth.
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

/// What an app does with its cache besides reading and changing.
package enum Maintenance: Hashable, Sendable {
  /// A query need no longer be kept at hand.
  case untag(query: UInt32)
  /// A query gets the first rows of another that lists the same, and more of it.
  case take(query: UInt32, from: UInt32)
  /// What a query lists is to be asked for again.
  case invalidate(query: UInt32)
  /// All is to be forgotten.
  case clear
  /// At most this many billionths of the content may stay in memory.
  case release(billionths: UInt32)
}

/// A change that a user makes, drawn before any cache is asked.
///
/// It carries whole states, as the user saw them: of two writes of one entity, the one that reaches the
/// server last is kept.
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
