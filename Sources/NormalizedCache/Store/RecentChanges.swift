public import CacheModel
public import DequeModule

/// What changed while fetches are in flight, in order, in a bounded log.
@usableFromInline struct RecentChanges<Payload: Sendable> {
  @usableFromInline enum Change {
    case changed(VersionedEntity<Payload>, library: Int16)
    case deleted(EntityKey, version: Version, library: Int16)
  }

  @usableFromInline struct Entry {
    @usableFromInline var commit: UInt64
    @usableFromInline var position: StreamPosition?
    @usableFromInline var change: Change
    @inlinable init(commit: UInt64, position: StreamPosition? = nil, change: Change) {
      self.commit = commit
      self.position = position
      self.change = change
    }
  }

  @usableFromInline var isRecording = false
  @usableFromInline var entries: Deque<Entry> = []
  /// Whether entries were forgotten because the log is bounded.
  @usableFromInline var forgottenThrough: UInt64 = 0

  @inlinable mutating func record(_ entry: Entry) {
    guard isRecording else { return }
    if entries.count == StoreLimits.recentChanges {
      forgottenThrough = entries.removeFirst().commit
    }
    entries.append(entry)
  }

  /// What changed after a commit, and after a position where it has one; `nil` where it is no longer
  /// known.
  @inlinable func since(commit: UInt64, after position: StreamPosition?) -> [Entry]? {
    var later: [Entry] = []
    // From the youngest back, so that only what is wanted is looked at.
    for entry in entries.reversed() {
      guard entry.commit > commit else { return later.reversed() }
      if let position, let its = entry.position {
        guard its > position else { return later.reversed() }
      }
      later.append(entry)
    }
    return forgottenThrough > commit ? nil : later.reversed()
  }

  @inlinable mutating func stop() {
    isRecording = false
    forgottenThrough = 0
    entries.removeAll()
  }
}
