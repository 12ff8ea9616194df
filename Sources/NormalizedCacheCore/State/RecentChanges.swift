public import CacheModel
public import DequeModule

/// What changed while fetches are in flight, in order, in a bounded log.
@usableFromInline struct RecentChanges<Payload: Sendable>: Sendable {
  @usableFromInline enum Change: Sendable {
    case changed(VersionedEntity<Payload>, library: Int16)
    case deleted(EntityKey, version: Version, library: Int16)
    /// It may have become anything: an event told of it that could not be decoded.
    case doubted(EntityKey, library: Int16)

    /// The store's index of the library; −1 where it is not told.
    @inlinable var library: Int16 {
      switch self {
      case .changed(_, let library), .deleted(_, _, let library), .doubted(_, let library): library
      }
    }

    @inlinable var key: EntityKey {
      switch self {
      case .changed(let entity, _): entity.key
      case .deleted(let key, _, _), .doubted(let key, _): key
      }
    }

    /// `nil` where it is not told.
    @inlinable var version: Version? {
      switch self {
      case .changed(let entity, _): entity.version
      case .deleted(_, let version, _): version
      case .doubted: nil
      }
    }
  }

  @usableFromInline struct Entry: Sendable {
    @usableFromInline var commit: UInt64
    @usableFromInline var place: StreamPlace?
    /// The number of the library's last verification when the change was learnt.
    @usableFromInline var verification: UInt32
    /// The number of the last verification that its value has seen.
    @usableFromInline var valueVerification: UInt32
    @usableFromInline var change: Change
    /// Whether a response has brought a later version since: told again, the change is news only as long
    /// as that is remembered.
    @usableFromInline var isOvertaken = false
    @inlinable init(
      commit: UInt64, place: StreamPlace?, verification: UInt32, valueVerification: UInt32,
      change: Change
    ) {
      self.commit = commit
      self.place = place
      self.verification = verification
      self.valueVerification = valueVerification
      self.change = change
    }
  }

  @usableFromInline var isRecording = false
  @usableFromInline var entries: Deque<Entry> = []
  /// The last entry that was forgotten because the log is bounded.
  @usableFromInline var forgotten: (commit: UInt64, place: StreamPlace?)?

  @inlinable mutating func record(_ entry: Entry) {
    guard isRecording else { return }
    if entries.count == StoreLimits.recentChanges {
      let oldest = entries.removeFirst()
      forgotten = (oldest.commit, oldest.place)
    }
    entries.append(entry)
  }

  /// Notes the changes that a response is later than.
  ///
  /// O(rows + entries).
  @inlinable mutating func overtake(by rows: [VersionedEntity<Payload>]) {
    guard !entries.isEmpty, !rows.isEmpty else { return }
    var versions: [EntityKey: Version] = [:]
    for row in rows { versions[row.key] = row.version }
    for index in entries.indices {
      guard let version = entries[index].change.version,
        let later = versions[entries[index].change.key], later > version
      else { continue }
      entries[index].isOvertaken = true
    }
  }

  /// What changed after a commit and is not shown by what was read at a place; `nil` where it is no
  /// longer known.
  @inlinable func since(commit: UInt64, notShownAt place: StreamPlace?) -> [Entry]? {
    func isShown(_ its: StreamPlace?) -> Bool {
      guard let place, let its else { return false }
      return place.shows(its)
    }
    if let forgotten, forgotten.commit > commit, !isShown(forgotten.place) { return nil }
    // From the youngest back, so that only what is wanted is looked at.
    var later: [Entry] = []
    for entry in entries.reversed() {
      guard entry.commit > commit else { break }
      if !isShown(entry.place) { later.append(entry) }
    }
    return later.reversed()
  }

  @inlinable mutating func stop() {
    isRecording = false
    forgotten = nil
    entries.removeAll()
  }
}
