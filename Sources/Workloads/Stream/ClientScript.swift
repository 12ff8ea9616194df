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
    /// `view` is the query on screen in which the user picked its row; `nil` where there was none, as
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
  /// When the server put it on the link; `nil` where that is not known, as in the log of an app: then it
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
