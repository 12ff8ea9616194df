public import CacheModel
public import EvictionPolicies

/// The release buffer: unobserved queries that still count as observed, first released first.
///
/// It is bounded in number and in age; where the composition has none, it stays empty.
@usableFromInline struct ReleasedQueries: ~Copyable {
  @usableFromInline var list = SlotList()
  /// The most queries; 0: there is no buffer.
  @usableFromInline let limit: Int
  /// For how long it holds a query, in nanoseconds; `Int64.max`: for any time.
  @usableFromInline let age: Int64
  /// What an unobserved read does to it, where there is one.
  @usableFromInline let reads: ReleaseBuffer.Reads
  /// Whether a query may wait for the next one to leave, since it found no room.
  @usableFromInline var mayCollect = false

  @inlinable init(_ buffer: ReleaseBuffer?) {
    let own = buffer.flatMap { $0.isNone ? nil : $0 }
    limit = own.map { $0.queries ?? .max } ?? 0
    age = buffer?.age?.wholeNanoseconds ?? .max
    reads = own?.reads ?? .ignored
  }

  /// Makes room for so many queries.
  @inlinable mutating func reserve(queries: Int) { list.reserve(slots: queries) }

  @inlinable func contains(_ query: Int32) -> Bool { limit > 0 && list.contains(query) }

  /// Whether another query can enter without pushing one out.
  @inlinable var hasRoom: Bool { list.count < limit }

  /// Adds a query, as the last released; one that is in it begins anew.
  @inlinable mutating func add(_ query: Int32) {
    if list.contains(query) { list.moveToYoung(query) } else { list.pushYoung(query) }
  }

  /// Takes a query out, if it is in.
  @inlinable mutating func remove(_ query: Int32) {
    if contains(query) { list.remove(query) }
  }

  /// The query that goes next, where there are more than the limit.
  @inlinable var overflow: Int32? { list.count > limit ? list.oldest : nil }

  /// When one that was released at an instant leaves; `nil`: not by age.
  @inlinable func end(ofReleasedAt instant: Int64) -> Instant? {
    guard age < .max else { return nil }
    let end = Instant(nanoseconds: instant).advanced(byNanoseconds: age)
    return end == .distantFuture ? nil : end
  }
}

/// What a commit lets go of that may be evicted from then on.
///
/// At its end only: what one list lets go of, another may take up in the same commit, and what ends
/// the edits of an entity brings the server's values, which must find how new those are that the cache
/// has.
@usableFromInline struct ReleasedEntities: Sendable {
  /// Whether anything was released.
  @usableFromInline private(set) var isAny = false
  /// Entities whose last pending edit ended.
  @usableFromInline private(set) var edited: [Slot] = []

  @usableFromInline init() {}

  @usableFromInline mutating func note() { isAny = true }

  @usableFromInline mutating func noteEdited(_ slot: Slot) { edited.append(slot) }

  /// Takes the entities that have no pending edits any longer; there are such.
  @usableFromInline mutating func takeEdited() -> [Slot] {
    isAny = true
    var taken: [Slot] = []
    swap(&taken, &edited)
    return taken
  }

  /// Whether anything was released; from here on nothing was.
  @inlinable mutating func take() -> Bool {
    guard isAny else { return false }
    forget()
    return true
  }

  @usableFromInline mutating func forget() { isAny = false }
}
