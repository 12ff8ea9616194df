import CacheModel
import DequeModule

/// What changed while fetches are in flight, in order, in a bounded log.
struct RecentChanges<Payload: Sendable> {
  enum Change {
    case changed(VersionedEntity<Payload>, library: Int16)
    case deleted(EntityKey, version: Version, library: Int16)
  }

  struct Entry {
    var position: StreamPosition?
    var change: Change
  }

  var isRecording = false
  private var entries: Deque<Entry> = []
  /// Whether entries were forgotten because the log is bounded.
  private var hasForgotten = false

  mutating func record(_ change: Change, at position: StreamPosition?) {
    guard isRecording else { return }
    if entries.count == StoreLimits.recentChanges {
      entries.removeFirst()
      hasForgotten = true
    }
    entries.append(Entry(position: position, change: change))
  }

  /// What changed after a position, or without one; `nil` where it is no longer known.
  func since(_ position: StreamPosition?) -> Deque<Entry>? {
    let later = entries.filter { entry in
      guard let position, let its = entry.position, its.epoch == position.epoch else { return true }
      return its.sequence > position.sequence
    }
    // Complete if nothing was forgotten, or if the log still reaches back to before the position.
    return hasForgotten && later.count == entries.count ? nil : later
  }

  mutating func stop() {
    isRecording = false
    hasForgotten = false
    entries.removeAll()
  }
}
