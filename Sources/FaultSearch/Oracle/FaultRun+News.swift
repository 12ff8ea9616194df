import CacheModel
import NormalizedCache

/// What is news, and what must be asked for at once.
extension FaultRun {
  // MARK: Events that a list shows

  /// The lists that are up to date and whose answers were read at an event or later in its stream, where
  /// it tells what has changed: a notice marks what it names.
  func listsShowing(_ envelope: EventEnvelope<Note>) -> [(key: QueryKey, place: EventPlace)] {
    let rule = envelope.origin.flatMap { composition.batchRules[$0] }
    switch envelope.event {
    case .changed, .batchChanged, .deleted:
      guard rule?.staleMethods.isEmpty != false else { return [] }
    case .bulkNotice, .partlyDecoded, .infrastructure: return []
    }
    // A new epoch says more than its first event, and one that closes a gap lets others in that have waited.
    guard let event = envelope.place, let cursor = store.cursor(of: event.stream),
      cursor.epoch == event.position.epoch, cursor.sequence + 1 == event.position.sequence
    else { return [] }
    return world.rules.queries.compactMap { key in
      guard let place = store.placeOfCurrentList(of: key), place.stream == event.stream,
        place.position >= event.position
      else { return nil }
      return (key, place)
    }
  }

  /// None of them is stale, unless more was applied than the event.
  mutating func checkSpared(
    _ lists: [(key: QueryKey, place: EventPlace)], by event: EventPlace?
  ) {
    for (key, place) in lists {
      guard let cursor = store.cursor(of: place.stream), cursor == event?.position,
        store.members(of: key) != nil, store.placeOfCurrentList(of: key) == nil
      else { continue }
      diverge(
        .shownIsNoNews, about: Oracle.name(key),
        expected: "a list that its answer of \(place.position) keeps up to date",
        found: "stale by the event of \(cursor)")
    }
  }

  // MARK: Gaps

  /// Whether a heartbeat would name what a reconcile has asked for in vain.
  func isGapNamed(byHeartbeatOf server: Int) -> Bool {
    let place = world.servers[server].place
    guard pausedReconciles.contains(server), let cursor = store.cursor(of: place.stream) else {
      return false
    }
    return place.position.epoch == cursor.epoch && place.position.sequence > cursor.sequence
  }

  /// A reconcile that came to nothing has been asked for again.
  mutating func checkAskedAgain(_ server: Int) {
    guard pausedReconciles.contains(server) else { return }
    let stream = world.servers[server].stream
    diverge(
      .gapIsAskedFor, about: "\(stream)", expected: "a reconcile",
      found: "none since the last failed")
  }

  mutating func setOnline(_ isOnline: Bool) {
    let comesBack = isOnline && !self.isOnline
    self.isOnline = isOnline
    store.setOnline(isOnline, at: now)
    didCall()
    if comesBack { for server in pausedReconciles { checkAskedAgain(server) } }
  }
}
