public import CacheModel
public import DequeModule

@usableFromInline struct Fetch: Sendable {
  @usableFromInline var target: FetchTarget
  @usableFromInline var library: Int16
  /// The commit in which the fetch began.
  @usableFromInline var begun: UInt64
  /// The time of the request, in nanoseconds.
  @usableFromInline var askedAt: Int64
  /// The library's last verification when the fetch began.
  @usableFromInline var verification: UInt32
  /// The cursor of each stream when the fetch began, by the store's index.
  @usableFromInline var cursors: [StreamPosition]
  /// The position of the cached result, if the request was conditional.
  @usableFromInline var condition: StreamPlace?

  @inlinable init(
    target: FetchTarget, library: Int16, begun: UInt64, askedAt: Int64, verification: UInt32,
    cursors: [StreamPosition], condition: StreamPlace?
  ) {
    self.condition = condition
    self.target = target
    self.library = library
    self.begun = begun
    self.askedAt = askedAt
    self.verification = verification
    self.cursors = cursors
  }
}

/// The fetches in flight, the one that each target waits for, and the changes meanwhile.
///
/// A target waits for one fetch at most. A fetch that no target waits for stays in flight for its callers:
/// its answer fills no list.
@usableFromInline struct FetchTable<Payload: Sendable>: Sendable {
  @usableFromInline var inFlight: [FetchID: Fetch] = [:]
  @usableFromInline var awaited: [FetchTarget: FetchID] = [:]
  /// The changes while fetches are in flight, to bring earlier responses up to date.
  ///
  /// Empty without fetches.
  @usableFromInline var changes = RecentChanges<Payload>()
  @usableFromInline var lastNumber: UInt64 = 0

  @inlinable init() {}

  @inlinable var isEmpty: Bool { inFlight.isEmpty }

  @inlinable subscript(id: FetchID) -> Fetch? { inFlight[id] }

  /// Returns the fetch in flight for a target; `nil` if there is none.
  @inlinable func awaited(by target: FetchTarget) -> FetchID? { awaited[target] }

  /// Returns a number that no fetch or reconcile has had.
  @inlinable mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  @inlinable mutating func nextFetch(of target: FetchTarget) -> FetchID {
    let id = FetchID(number: nextNumber())
    awaited[target] = id
    return id
  }

  @inlinable mutating func begin(_ id: FetchID, _ fetch: Fetch) {
    inFlight[id] = fetch
    changes.isRecording = true
  }

  /// Ends a fetch.
  ///
  /// The changes meanwhile are kept until ``settle()``.
  ///
  /// - Returns: the fetch, and whether its target still waits for it: the query may have been removed or
  ///   invalidated, and fetched again. `nil` for an unknown fetch.
  @inlinable mutating func end(_ id: FetchID) -> (fetch: Fetch, isAwaited: Bool)? {
    guard let fetch = inFlight.removeValue(forKey: id) else { return nil }
    guard awaited[fetch.target] == id else { return (fetch, false) }
    awaited[fetch.target] = nil
    return (fetch, true)
  }

  /// Discards the changes, unless a fetch is in flight.
  @inlinable mutating func settle() {
    if inFlight.isEmpty { changes.stop() }
  }

  /// Prevents later reads from joining a target's fetch.
  @inlinable mutating func disown(_ target: FetchTarget) { awaited[target] = nil }

  /// Prevents later reads from joining a library's earlier fetches.
  @inlinable mutating func disown(library: Int16, unless isKept: (FetchTarget) -> Bool) {
    guard !awaited.isEmpty else { return }
    var kept: [FetchTarget: FetchID] = [:]
    for (target, id) in awaited where isKept(target) || inFlight[id]?.library != library {
      kept[target] = id
    }
    if kept.count < awaited.count { awaited = kept }
  }

  /// Removes a library's fetches: their answers are dropped.
  @inlinable mutating func forget(library: Int16) {
    disown(library: library) { _ in false }
    for (id, fetch) in inFlight where fetch.library == library { inFlight[id] = nil }
  }
}

/// The changes while fetches are in flight, in order, in a bounded log.
@usableFromInline struct RecentChanges<Payload: Sendable>: Sendable {
  @usableFromInline enum Change: Sendable {
    case changed(VersionedEntity<Payload>, library: Int16)
    case deleted(EntityKey, version: Version, library: Int16)
    /// Unknown: an event about the entity could not be decoded.
    case unverified(EntityKey, library: Int16)

    /// The store's index of the library; −1 if unknown.
    @inlinable var library: Int16 {
      switch self {
      case .changed(_, let library), .deleted(_, _, let library), .unverified(_, let library):
        library
      }
    }

    @inlinable var key: EntityKey {
      switch self {
      case .changed(let entity, _): entity.key
      case .deleted(let key, _, _), .unverified(let key, _): key
      }
    }

    /// `nil` if unknown.
    @inlinable var version: Version? {
      switch self {
      case .changed(let entity, _): entity.version
      case .deleted(_, let version, _): version
      case .unverified: nil
      }
    }
  }

  @usableFromInline struct Entry: Sendable {
    @usableFromInline var commit: UInt64
    @usableFromInline var place: StreamPlace?
    /// The number of the library's last verification when the change was received.
    @usableFromInline var verification: UInt32
    /// The number of the last verification that its value includes.
    @usableFromInline var valueVerification: UInt32
    @usableFromInline var change: Change
    /// Whether a response has brought a later version since: the change is applied again only while that
    /// version is remembered.
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
  /// The last entry that was dropped because the log is bounded.
  @usableFromInline var forgotten: (commit: UInt64, place: StreamPlace?)?

  @inlinable mutating func record(_ entry: Entry) {
    guard isRecording else { return }
    if entries.count == StoreLimits.recentChanges {
      let oldest = entries.removeFirst()
      forgotten = (oldest.commit, oldest.place)
    }
    entries.append(entry)
  }

  /// Marks the changes that a response has overtaken.
  ///
  /// O(rows + entries).
  @inlinable mutating func overtake(by rows: [VersionedEntity<Payload>]) {
    guard !entries.isEmpty, !rows.isEmpty else { return }
    var ofRows = KeyFilter()
    for row in rows { ofRows.insert(row.key) }
    var changed = KeyFilter()
    for index in entries.indices where ofRows.mayHave(entries[index].change.key) {
      changed.insert(entries[index].change.key)
    }
    var versions: [EntityKey: Version] = [:]
    for row in rows where changed.mayHave(row.key) { versions[row.key] = row.version }
    if versions.isEmpty { return }
    for index in entries.indices where ofRows.mayHave(entries[index].change.key) {
      guard let version = entries[index].change.version,
        let later = versions[entries[index].change.key], later > version
      else { continue }
      entries[index].isOvertaken = true
    }
  }

  /// Returns the changes after a commit that a response read at a position does not include; `nil` if the log
  /// no longer has them all.
  @inlinable func since(commit: UInt64, notShownAt place: StreamPlace?) -> [Entry]? {
    func isShown(_ its: StreamPlace?) -> Bool {
      guard let place, let its else { return false }
      return place.shows(its)
    }
    if let forgotten, forgotten.commit > commit, !isShown(forgotten.place) { return nil }
    // From the newest back, so that only relevant entries are read.
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

/// Tells most keys that are not among some from those that may be, for less than a dictionary takes.
@usableFromInline struct KeyFilter {
  /// A bit for every 4,096th hash.
  @usableFromInline var words = [UInt64](repeating: 0, count: 64)

  @inlinable init() {}

  @inlinable mutating func insert(_ key: EntityKey) {
    let bit = EntityRecord.hash(key)
    words[Int(bit >> 6 & 63)] |= 1 << (bit & 63)
  }

  @inlinable func mayHave(_ key: EntityKey) -> Bool {
    let bit = EntityRecord.hash(key)
    return words[Int(bit >> 6 & 63)] & 1 << (bit & 63) != 0
  }
}
