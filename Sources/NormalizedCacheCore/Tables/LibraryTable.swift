public import CacheModel

@usableFromInline struct LibraryState: Sendable {
  @usableFromInline var id: LibraryID
  /// The number of its streams that are followed.
  @usableFromInline var streamCount = 0
  @usableFromInline var holdsData = false
  /// The number of times that unnamed data of the library may have changed.
  ///
  /// Written data has the number at its time.
  @usableFromInline var verification: UInt32 = 0
  /// The stream position of the last of these, if it has one.
  @usableFromInline var verifiedAt: StreamPlace?
  /// The number of the last of these that cannot be compared with `verifiedAt`.
  @usableFromInline var unplacedVerification: UInt32 = 0
  /// Queries fetched before this number are stale.
  @usableFromInline var queryFloor: UInt32 = 0
  /// Entities written before this number are stale.
  @usableFromInline var entityFloor: UInt32 = 0
  /// Partial invalidations since, newest last, to be applied to entities.
  @usableFromInline var notices: [(tag: InvalidationTag, number: UInt32)] = []
  /// The number of undecodable items whose entity is known.
  @usableFromInline var undecodableItems: UInt32 = 0
  /// The latest operations with bulk notices.
  @usableFromInline var bulkTokens: [(token: UInt64, isPlaced: Bool)] = []

  @usableFromInline init(id: LibraryID) { self.id = id }

  /// Returns whether data written at a verification is known to be stale.
  @inlinable func isBelowFloor(_ verification: UInt32) -> Bool {
    verification == LibraryTable.unverified || verification < entityFloor
  }

  /// Returns whether a partial invalidation since a verification concerns an entity of a type in a location;
  /// `nil` if unknown.
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

/// The libraries known to a store, and how far the cached data of each has been verified.
///
/// A library has a permanent index; −1 means unknown. All libraries beyond the limit share the last index.
@usableFromInline struct LibraryTable: Sendable {
  @usableFromInline private(set) var states: [LibraryState] = []
  @usableFromInline private(set) var verifications: UInt32 = 0
  /// Whether the store ever received data of an unknown library.
  @usableFromInline private(set) var holdsUnowned = false

  /// The verification of a value that is known to be outdated.
  @inlinable static var unverified: UInt32 { .max }

  @usableFromInline init() {}

  @inlinable var indices: Range<Int> { states.indices }

  @inlinable subscript(library: Int16) -> LibraryState { _read { yield states[Int(library)] } }

  /// Returns the index of a library; `nil` if it has none.
  ///
  /// O(libraries).
  @inlinable func knownIndex(of id: LibraryID) -> Int16? {
    for index in states.indices where states[index].id == id { return Int16(index) }
    return nil
  }

  /// Returns the index of a library, added if necessary.
  @inlinable mutating func index(of id: LibraryID) -> Int16 { knownIndex(of: id) ?? append(id) }

  @usableFromInline mutating func append(_ id: LibraryID) -> Int16 {
    if states.count < StoreLimits.libraries { states.append(LibraryState(id: id)) }
    return Int16(states.count - 1)
  }

  /// Returns whether several libraries share, or may share, an index.
  @inlinable func isShared(_ library: Int16) -> Bool { Int(library) == StoreLimits.libraries - 1 }

  /// Returns the number of a library's last verification, or of all if it is −1.
  @inlinable func verification(of library: Int16) -> UInt32 {
    library < 0 ? verifications : states[Int(library)].verification
  }

  @inlinable func hasOneStream(_ library: Int16) -> Bool {
    library >= 0 && states[Int(library)].streamCount == 1
  }

  /// Returns whether a result read at a position, and requested at a verification, includes the library's
  /// last verification.
  @inlinable func covers(_ place: StreamPlace?, verification: UInt32, library: Int16) -> Bool {
    let index = Int(library)
    guard verification < states[index].verification else { return true }
    guard verification >= states[index].unplacedVerification,
      let verified = states[index].verifiedAt
    else { return false }
    return place?.shows(verified) ?? false
  }

  // MARK: Events

  @inlinable mutating func noteData(of library: Int16) {
    if library < 0 ? !holdsUnowned : !states[Int(library)].holdsData { setHoldsData(library) }
  }

  @usableFromInline mutating func setHoldsData(_ library: Int16) {
    if library < 0 { holdsUnowned = true } else { states[Int(library)].holdsData = true }
  }

  @usableFromInline mutating func noteStream(of library: Int16) {
    states[Int(library)].streamCount += 1
  }

  /// Notes an undecodable item of a library, or of any if it is −1.
  @usableFromInline mutating func noteUndecodableItem(in library: Int16) {
    for index in states.indices where library < 0 || index == Int(library) {
      states[index].undecodableItems &+= 1
    }
  }

  /// Counts another possible change of unnamed data.
  private mutating func nextVerification(of library: Int16, at place: StreamPlace?) -> UInt32 {
    let library = Int(library)
    let former = states[library].verification
    // A response is compared with one position only; for others a later fetch is needed.
    if let verified = states[library].verifiedAt, verified.stream != place?.stream {
      states[library].unplacedVerification = former
    }
    states[library].verification = former + 1
    verifications += 1
    // One that arrives late, from a server that lags, precedes the last; a response must include both.
    let isEarlier = place.flatMap { states[library].verifiedAt?.shows($0) } ?? false
    if !isEarlier { states[library].verifiedAt = place }
    if place == nil { states[library].unplacedVerification = former + 1 }
    return former + 1
  }

  /// Notes that the entities which a tag matches may have changed; beyond a limited number of tags all
  /// entities may have.
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

  /// Notes that all data of a library may have changed.
  @usableFromInline mutating func invalidate(_ library: Int16, at place: StreamPlace?) {
    let number = nextVerification(of: library, at: place)
    states[Int(library)].queryFloor = number
    states[Int(library)].entityFloor = number
    states[Int(library)].notices.removeAll()
  }

  /// Records a bulk operation; their number is limited.
  ///
  /// - Returns: whether it is new: it was not received before, or not with a position; without one it does
  ///   not cover what was sent before it and has arrived since.
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

  @usableFromInline mutating func restore(
    _ restored: [LibraryState], verifications: UInt32, holdsUnowned: Bool
  ) {
    states = restored
    self.verifications = verifications
    self.holdsUnowned = holdsUnowned
  }
}
