public import CacheModel
public import EvictionPolicies

/// The residents that may be evicted: each is in the eviction order or, until its first use, on probation.
///
/// Retained entities are in neither.
@usableFromInline struct EvictableRows: ~Copyable {
  @usableFromInline let order: any EvictionOrder
  @usableFromInline var probation = ProbationQueue()
  /// Whether the admission decides on arrivals at a full cache.
  @usableFromInline let asksAdmission: Bool
  /// Whether all arrivals are on probation first, not only those of events.
  @usableFromInline let admitsOnProbation: Bool
  /// How the current event treats entities that are not resident.
  @usableFromInline var eventAdmission: EventAdmission
  /// Uses that are passed to the order in one batch.
  @usableFromInline var uses: [EvictionEntry] = []
  @usableFromInline var singleUse: [EvictionEntry] = []

  @inlinable init(
    order: any EvictionOrder, admission: AdmissionPolicyDescriptor, ofEvents: EventAdmission
  ) {
    self.order = order
    asksAdmission = admission.mayReject
    admitsOnProbation = admission.holdsOnProbation
    eventAdmission = ofEvents
  }

  /// Returns whether an arrival is on probation first.
  @inlinable func isProbationary(fromEvent: Bool) -> Bool {
    admitsOnProbation || fromEvent && eventAdmission == .probation
  }

  @inlinable func isOnProbation(_ slot: Slot) -> Bool { probation.contains(slot) }

  /// Returns whether the entities on probation exceed their share of the limits.
  @inlinable func exceedsShare(of limits: CapacityLimits) -> Bool {
    probation.count > limits.probationEntities || probation.weight > limits.probationBytes
  }

  /// Adds an entity that has just become resident.
  @inlinable mutating func insert(
    _ entry: EvictionEntry, weight: Int32, fromEvent: Bool, slots: Int
  ) {
    if isProbationary(fromEvent: fromEvent) {
      probation.append(entry.slot, weight: weight, slots: slots)
    } else {
      order.didInsert(entry)
    }
  }

  /// Ends an entity's probation, because it is used, retained or removed.
  ///
  /// - Returns: whether it was on probation; it is then in neither the list nor the order.
  @inlinable mutating func leaveProbation(_ slot: Slot, weight: Int32) -> Bool {
    guard probation.contains(slot) else { return false }
    probation.remove(slot, weight: weight)
    return true
  }

  /// Notes a use in the order, or ends the entity's probation.
  @inlinable mutating func noteUse(_ entry: EvictionEntry, weight: Int32) {
    if leaveProbation(entry.slot, weight: weight) {
      order.didInsert(entry)
      return
    }
    if singleUse.isEmpty { singleUse.append(entry) } else { singleUse[0] = entry }
    order.didHit(singleUse.span)
  }

  /// Adds a use to a batch, which ``endUses()`` passes to the order.
  @inlinable mutating func addUse(_ entry: EvictionEntry, weight: Int32) {
    if leaveProbation(entry.slot, weight: weight) {
      order.didInsert(entry)
    } else {
      uses.append(entry)
    }
  }

  @inlinable mutating func endUses() {
    order.didHit(uses.span)
    uses.removeAll(keepingCapacity: true)
  }

  @inlinable mutating func didChangeWeight(of slot: Slot, by difference: Int32) {
    if probation.contains(slot) { probation.weight += Int(difference) }
  }

  /// Removes an entity that is retained from now on.
  @inlinable mutating func retain(_ slot: Slot, weight: Int32) {
    if !leaveProbation(slot, weight: weight) { order.didRetain(slot) }
  }

  @inlinable mutating func remove(_ slot: Slot, weight: Int32, cause: RemovalCause) {
    if !leaveProbation(slot, weight: weight) { order.didRemove(slot, cause: cause) }
  }

  /// Returns the next victim.
  ///
  /// Entities on probation are first while they exceed their share of the limits, and last otherwise.
  ///
  /// - Parameters:
  ///   - limits: the limits of the share.
  ///   - written: the entity being written, which is never the victim.
  ///   - isSetAside: set if the order named that entity: it is then out of the order, and must be released.
  /// - Returns: the victim; `nil` if only the entity being written may be evicted.
  @inlinable mutating func nextVictim(
    under limits: CapacityLimits, but written: Slot?, isSetAside: inout Bool
  ) -> Slot? {
    if exceedsShare(of: limits), let victim = probation.oldest(but: written) { return victim }
    while let victim = order.nextVictim() {
      guard victim == written else { return victim }
      // An order may name it, at random or because its clock hand has come round: it is set aside until there
      // is space.
      order.didRetain(victim)
      isSetAside = true
    }
    return probation.oldest(but: written)
  }
}

/// The retained entities, least recently used first: if a limit is hard and nothing else can be evicted, they
/// lose their values in this order.
///
/// They are in no eviction order. Every call is O(1), amortised for growth.
@usableFromInline struct HeldRows: ~Copyable {
  @usableFromInline var list = SlotList()
  /// The number of slots that the list has space for.
  @usableFromInline var reserved = 0

  @inlinable init() {}

  @inlinable func contains(_ slot: Slot) -> Bool { Int(slot) < reserved && list.contains(slot) }

  /// Adds an entity as the most recently used, unless it is already in the list.
  @inlinable mutating func add(_ slot: Slot, slots: Int) {
    if slots > reserved {
      list.reserve(slots: slots)
      reserved = slots
    }
    if !list.contains(slot) { list.pushYoung(slot) }
  }

  /// Removes an entity, if it is in the list.
  @inlinable mutating func remove(_ slot: Slot) {
    if contains(slot) { list.remove(slot) }
  }

  /// Notes a use of an entity, if it is in the list.
  @inlinable mutating func noteUse(of slot: Slot) {
    if contains(slot) { list.moveToYoung(slot) }
  }

  /// Returns the least recently used entity, except `spared`.
  @inlinable func oldest(but spared: Slot?) -> Slot? {
    guard let first = list.oldest else { return nil }
    return first == spared ? list.younger(than: first) : first
  }
}
