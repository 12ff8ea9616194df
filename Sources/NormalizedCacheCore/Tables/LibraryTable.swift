public import CacheModel

/// What a store knows of one library.
@usableFromInline struct LibraryState: Sendable {
  @usableFromInline var id: LibraryID
  /// How many streams of it are followed.
  @usableFromInline var streamCount = 0
  /// Whether the store ever took something of it.
  @usableFromInline var holdsData = false
  /// Counts the times that something unnamed may have changed in the library.
  ///
  /// What is written bears the number of its time.
  @usableFromInline var verification: UInt32 = 0
  /// The place in the stream of the last of these times, where it has one.
  @usableFromInline var verifiedAt: StreamPlace?
  /// The number of the last of these times that has no place to compare with `verifiedAt`.
  @usableFromInline var unplacedVerification: UInt32 = 0
  /// Queries that were fetched before this number are stale.
  @usableFromInline var queryFloor: UInt32 = 0
  /// Entities that were written before this number are stale.
  @usableFromInline var entityFloor: UInt32 = 0
  /// Partial invalidations since, newest last, for the entities that they concern.
  @usableFromInline var notices: [(tag: InvalidationTag, number: UInt32)] = []
  /// Counts the items that could not be decoded and of which it is known which entity they are.
  @usableFromInline var undecodableItems: UInt32 = 0
  /// The latest operations that were announced in bulk.
  @usableFromInline var bulkTokens: [(token: UInt64, isPlaced: Bool)] = []

  @usableFromInline init(id: LibraryID) { self.id = id }

  /// Whether what was written at a verification is known to be stale, whatever it is.
  @inlinable func isBelowFloor(_ verification: UInt32) -> Bool {
    verification == LibraryTable.unverified || verification < entityFloor
  }

  /// Whether a partial invalidation since a verification concerns an entity of a type in a location;
  /// `nil` where that is not known.
  @inlinable func hasNotice(
    of type: ResourceType, in location: UniqueID?, since verification: UInt32
  ) -> Bool {
    notices.contains { notice in
      guard notice.number > verification else { return false }
      if let named = notice.tag.resourceType, named != type { return false }
      if let named = notice.tag.location, let location { return named == location }
      return true
    }
  }
}

/// The libraries that a store has heard of, and how far what it holds of each has been verified.
///
/// A library has an index, which stays; −1 stands for one that is not known. The last index of all
/// stands for every library beyond the limit.
@usableFromInline struct LibraryTable: Sendable {
  @usableFromInline private(set) var states: [LibraryState] = []
  /// Counts the verifications of all libraries.
  @usableFromInline private(set) var verifications: UInt32 = 0
  /// Whether the store ever took something whose library is not known.
  @usableFromInline private(set) var holdsUnowned = false

  /// The verification of a value that is known not to be the latest.
  @inlinable static var unverified: UInt32 { .max }

  @usableFromInline init() {}

  @inlinable var indices: Range<Int> { states.indices }

  @inlinable subscript(library: Int16) -> LibraryState { _read { yield states[Int(library)] } }

  /// The index of a library; `nil` where it has none.
  ///
  /// O(libraries).
  @inlinable func knownIndex(of id: LibraryID) -> Int16? {
    for index in states.indices where states[index].id == id { return Int16(index) }
    return nil
  }

  /// The same, made if there is none.
  @inlinable mutating func index(of id: LibraryID) -> Int16 { knownIndex(of: id) ?? append(id) }

  @usableFromInline mutating func append(_ id: LibraryID) -> Int16 {
    if states.count < StoreLimits.libraries { states.append(LibraryState(id: id)) }
    return Int16(states.count - 1)
  }

  /// Whether an index stands, or may stand, for several libraries.
  @inlinable func isShared(_ library: Int16) -> Bool { Int(library) == StoreLimits.libraries - 1 }

  /// The number of a library's last verification, or of all where it is −1.
  @inlinable func verification(of library: Int16) -> UInt32 {
    library < 0 ? verifications : states[Int(library)].verification
  }

  /// Whether one stream carries everything of a library.
  @inlinable func hasOneStream(_ library: Int16) -> Bool {
    library >= 0 && states[Int(library)].streamCount == 1
  }

  /// Whether what was read at a place, and asked for at a verification, shows what the library's last
  /// verification is about.
  @inlinable func covers(_ place: StreamPlace?, verification: UInt32, library: Int16) -> Bool {
    let index = Int(library)
    guard verification < states[index].verification else { return true }
    guard verification >= states[index].unplacedVerification,
      let verified = states[index].verifiedAt
    else { return false }
    return place?.shows(verified) ?? false
  }

  // MARK: What happens

  /// Notes that the store has taken something of a library.
  @inlinable mutating func noteData(of library: Int16) {
    if library < 0 ? !holdsUnowned : !states[Int(library)].holdsData { setHoldsData(library) }
  }

  @usableFromInline mutating func setHoldsData(_ library: Int16) {
    if library < 0 { holdsUnowned = true } else { states[Int(library)].holdsData = true }
  }

  @usableFromInline mutating func noteStream(of library: Int16) {
    states[Int(library)].streamCount += 1
  }

  /// Notes that an item of a library, or of any where it is −1, could not be decoded.
  @usableFromInline mutating func noteUndecodableItem(in library: Int16) {
    for index in states.indices where library < 0 || index == Int(library) {
      states[index].undecodableItems &+= 1
    }
  }

  /// Counts one more time that something unnamed may have changed.
  private mutating func nextVerification(of library: Int16, at place: StreamPlace?) -> UInt32 {
    let library = Int(library)
    let former = states[library].verification
    // A response is compared with one place only: what has another must be waited out.
    if let verified = states[library].verifiedAt, verified.stream != place?.stream {
      states[library].unplacedVerification = former
    }
    states[library].verification = former + 1
    verifications += 1
    // One that arrives late, from a server that lags, stands before the last; both must be shown.
    let isEarlier = place.flatMap { states[library].verifiedAt?.shows($0) } ?? false
    if !isEarlier { states[library].verifiedAt = place }
    if place == nil { states[library].unplacedVerification = former + 1 }
    return former + 1
  }

  /// Notes that the entities which a tag matches may have changed; of a bounded number of tags, beyond
  /// which all entities may have.
  @usableFromInline mutating func noteUnverified(
    _ tag: InvalidationTag, library: Int16, at place: StreamPlace?
  ) {
    let number = nextVerification(of: library, at: place)
    states[Int(library)].notices.append((tag, number))
    if states[Int(library)].notices.count > StoreLimits.notices {
      let oldest = states[Int(library)].notices.removeFirst()
      states[Int(library)].entityFloor = oldest.number
    }
  }

  /// Notes that everything of a library may have changed.
  @usableFromInline mutating func invalidate(_ library: Int16, at place: StreamPlace?) {
    let number = nextVerification(of: library, at: place)
    states[Int(library)].queryFloor = number
    states[Int(library)].entityFloor = number
    states[Int(library)].notices.removeAll()
  }

  /// Remembers a bulk operation, of a bounded number.
  ///
  /// - Returns: whether it is news: it was not received before, or not with a position; without one it
  ///   says nothing of what was sent before it and has arrived since.
  @usableFromInline mutating func noteBulk(token: UInt64, library: Int16, isPlaced: Bool) -> Bool {
    let library = Int(library)
    if let known = states[library].bulkTokens.firstIndex(where: { $0.token == token }) {
      guard isPlaced, !states[library].bulkTokens[known].isPlaced else { return false }
      states[library].bulkTokens.remove(at: known)
    }
    states[library].bulkTokens.append((token, isPlaced))
    if states[library].bulkTokens.count > StoreLimits.bulkTokens {
      states[library].bulkTokens.removeFirst()
    }
    return true
  }

  /// Takes what was stored.
  @usableFromInline mutating func restore(
    _ restored: [LibraryState], verifications: UInt32, holdsUnowned: Bool
  ) {
    states = restored
    self.verifications = verifications
    self.holdsUnowned = holdsUnowned
  }
}
