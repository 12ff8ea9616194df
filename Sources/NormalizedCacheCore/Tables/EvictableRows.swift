public import CacheModel
public import EvictionPolicies

/// The residents that may be evicted: each stands in the eviction order or, while it was not used
/// since it arrived, on probation.
///
/// What something holds back stands in neither.
@usableFromInline struct EvictableRows: ~Copyable {
  @usableFromInline let order: any EvictionOrder
  @usableFromInline var probation = ProbationQueue()
  /// Whether the order is asked before something arrives at a full cache.
  @usableFromInline let asksAdmission: Bool
  /// Whether all that arrives stands on probation at first, and not only what events bring.
  @usableFromInline let admitsOnProbation: Bool
  /// What the event at hand does with what is not resident.
  @usableFromInline var eventAdmission: EventAdmission
  /// Uses that are passed to the order together.
  @usableFromInline var uses: [EvictionEntry] = []
  /// Where a single use is passed from: one array, written again each time.
  @usableFromInline var singleUse: [EvictionEntry] = []

  @inlinable init(
    order: any EvictionOrder, admission: AdmissionPolicyDescriptor, ofEvents: EventAdmission
  ) {
    self.order = order
    asksAdmission = admission.mayReject
    admitsOnProbation = admission.holdsOnProbation
    eventAdmission = ofEvents
  }

  /// Whether what arrives stands on probation at first.
  @inlinable func isProbationary(fromEvent: Bool) -> Bool {
    admitsOnProbation || fromEvent && eventAdmission == .probation
  }

  @inlinable func isOnProbation(_ slot: Slot) -> Bool { probation.contains(slot) }

  /// Whether those on probation take more than their share of the limits.
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

  /// Ends an entity's probation, because it is used, held or removed.
  ///
  /// - Returns: whether it was on probation; then it stands in no queue and no order now.
  @inlinable mutating func leaveProbation(_ slot: Slot, weight: Int32) -> Bool {
    guard probation.contains(slot) else { return false }
    probation.remove(slot, weight: weight)
    return true
  }

  /// Notifies the order of a use, or ends the entity's probation by it.
  @inlinable mutating func noteUse(_ entry: EvictionEntry, weight: Int32) {
    if leaveProbation(entry.slot, weight: weight) {
      order.didInsert(entry)
      return
    }
    if singleUse.isEmpty { singleUse.append(entry) } else { singleUse[0] = entry }
    order.didHit(singleUse.span)
  }

  /// The same of one of many, of which the order is notified by ``endUses()``.
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

  /// The weight of an entity's value has changed.
  @inlinable mutating func didChangeWeight(of slot: Slot, by difference: Int32) {
    if probation.contains(slot) { probation.weight += Int(difference) }
  }

  /// Something holds an entity back from now on.
  @inlinable mutating func retain(_ slot: Slot, weight: Int32) {
    if !leaveProbation(slot, weight: weight) { order.didRetain(slot) }
  }

  @inlinable mutating func remove(_ slot: Slot, weight: Int32, cause: RemovalCause) {
    if !leaveProbation(slot, weight: weight) { order.didRemove(slot, cause: cause) }
  }

  /// Names the entity that should go next.
  ///
  /// Those on probation go first while they take more than their share of the limits, and last
  /// otherwise.
  ///
  /// - Parameters:
  ///   - limits: of which they have a share.
  ///   - written: the entity being written, which is never the victim.
  ///   - isSetAside: set where the order named it: it is out of the order then, and must be released.
  /// - Returns: the victim; `nil` when nothing but the one being written may go.
  @inlinable mutating func nextVictim(
    under limits: CapacityLimits, but written: Slot?, isSetAside: inout Bool
  ) -> Slot? {
    if exceedsShare(of: limits), let victim = probation.oldest(but: written) { return victim }
    while let victim = order.nextVictim() {
      guard victim == written else { return victim }
      // An order may name it, by chance or because its hand has come round: it stands aside until
      // there is space.
      order.didRetain(victim)
      isSetAside = true
    }
    return probation.oldest(but: written)
  }
}

/// The entities that something holds back from eviction, least recently used first: where a limit is
/// hard and nothing else is left to go, they lose their values in this order.
///
/// No eviction order knows of them. Every call is O(1), amortised where it makes room.
@usableFromInline struct HeldRows: ~Copyable {
  @usableFromInline var list = SlotList()
  /// How many slots the list has room for.
  @usableFromInline var reserved = 0

  @inlinable init() {}

  @inlinable func contains(_ slot: Slot) -> Bool { Int(slot) < reserved && list.contains(slot) }

  /// Adds an entity at the young end, unless it stands in the line.
  @inlinable mutating func add(_ slot: Slot, slots: Int) {
    if slots > reserved {
      list.reserve(slots: slots)
      reserved = slots
    }
    if !list.contains(slot) { list.pushYoung(slot) }
  }

  /// Takes an entity out of the line, if it stands there.
  @inlinable mutating func remove(_ slot: Slot) {
    if contains(slot) { list.remove(slot) }
  }

  /// Notes that an entity was used, if it stands in the line.
  @inlinable mutating func noteUse(of slot: Slot) {
    if contains(slot) { list.moveToYoung(slot) }
  }

  /// The one that was used longest ago, but for one that is spared.
  @inlinable func oldest(but spared: Slot?) -> Slot? {
    guard let first = list.oldest else { return nil }
    return first == spared ? list.younger(than: first) : first
  }
}
