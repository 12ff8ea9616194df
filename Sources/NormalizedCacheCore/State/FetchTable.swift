public import CacheModel

/// A fetch in flight.
@usableFromInline struct Fetch: Sendable {
  @usableFromInline var target: FetchTarget
  @usableFromInline var library: Int16
  /// The commit in which the fetch began.
  @usableFromInline var begun: UInt64
  /// When it was sent, in nanoseconds.
  @usableFromInline var askedAt: Int64
  /// The library's last verification when the fetch began.
  @usableFromInline var verification: UInt32
  /// Where each stream stood when the fetch began, by the store's index.
  @usableFromInline var cursors: [StreamPosition]
  /// Where the cache had read what it has, if the server was asked to repeat it only if it changed.
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

/// The fetches in flight, which of them each target waits for, and what has changed meanwhile.
///
/// A target waits for one fetch at most. One that nothing waits for any longer stays in flight for
/// those who do: its answer is no list's.
@usableFromInline struct FetchTable<Payload: Sendable>: Sendable {
  @usableFromInline var inFlight: [FetchID: Fetch] = [:]
  @usableFromInline var awaited: [FetchTarget: FetchID] = [:]
  /// What changed while fetches are in flight, so that a response that was read before can be
  /// brought up to date.
  ///
  /// Empty while none is.
  @usableFromInline var changes = RecentChanges<Payload>()
  @usableFromInline var lastNumber: UInt64 = 0

  @inlinable init() {}

  @inlinable var isEmpty: Bool { inFlight.isEmpty }

  @inlinable subscript(id: FetchID) -> Fetch? { inFlight[id] }

  /// The fetch in flight whose answer will be a target's; `nil` where there is none.
  @inlinable func awaited(by target: FetchTarget) -> FetchID? { awaited[target] }

  /// A number that no fetch and no reconcile has had.
  @inlinable mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Makes a fetch the one that a target waits for.
  @inlinable mutating func nextFetch(of target: FetchTarget) -> FetchID {
    let id = FetchID(number: nextNumber())
    awaited[target] = id
    return id
  }

  /// Puts a fetch in flight, or once more.
  @inlinable mutating func begin(_ id: FetchID, _ fetch: Fetch) {
    inFlight[id] = fetch
    changes.isRecording = true
  }

  /// Takes a fetch out of flight.
  ///
  /// What changed meanwhile is kept until ``settle()``.
  ///
  /// - Parameter id: the fetch.
  /// - Returns: the fetch, and whether it is still the one that its target waits for: the query may
  ///   have been dropped or invalidated since, and asked for anew. `nil` for an unknown fetch.
  @inlinable mutating func end(_ id: FetchID) -> (fetch: Fetch, isAwaited: Bool)? {
    guard let fetch = inFlight.removeValue(forKey: id) else { return nil }
    guard awaited[fetch.target] == id else { return (fetch, false) }
    awaited[fetch.target] = nil
    return (fetch, true)
  }

  /// Forgets what changed, unless a fetch is in flight.
  @inlinable mutating func settle() {
    if inFlight.isEmpty { changes.stop() }
  }

  /// No later read joins the fetch of a target.
  @inlinable mutating func disown(_ target: FetchTarget) { awaited[target] = nil }

  /// No later read joins a fetch of a library that began before.
  ///
  /// - Parameters:
  ///   - library: whose.
  ///   - isKept: whether a target's is joined all the same.
  @inlinable mutating func disown(library: Int16, unless isKept: (FetchTarget) -> Bool) {
    guard !awaited.isEmpty else { return }
    var kept: [FetchTarget: FetchID] = [:]
    for (target, id) in awaited where isKept(target) || inFlight[id]?.library != library {
      kept[target] = id
    }
    if kept.count < awaited.count { awaited = kept }
  }

  /// Takes the fetches of a library out of flight: their answers are dropped.
  @inlinable mutating func forget(library: Int16) {
    disown(library: library) { _ in false }
    for (id, fetch) in inFlight where fetch.library == library { inFlight[id] = nil }
  }
}
