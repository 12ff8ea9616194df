import CacheModel

/// An eviction order with an admission in front of it.
///
/// The order receives only admitted entities. Slots and fingerprints of residents are stored here, so that
/// the admission can compare a victim.
final class AdmittedOrder<Admission: AdmissionPolicy & ~Copyable>: EvictionOrder {
  private let order: any EvictionOrder
  private var admission: Admission
  private var probation = ProbationQueue()
  private let probationLimit: Int
  /// The entry of each slot's entity.
  private var entries = Flat(
    repeating: EvictionEntry(slot: -1, fingerprint: 0), count: 0)
  /// The fingerprint of the last candidate, whose use has already been counted.
  private var candidate: UInt64?
  /// The weight of the announced arrival on probation.
  private var announced = 0
  /// The victim that the candidate was compared with.
  private var comparedVictim: Slot?

  init(guarding order: any EvictionOrder, capacity: Int?, random: RandomSource) {
    self.order = order
    admission = Admission(capacity: capacity, random: random)
    probationLimit = capacity.map { ProbationQueue.share(of: $0) } ?? .max
  }

  /// The bytes of the entries of this number of slots.
  static func entryBytes(slots: Int) -> Int {
    Flat<EvictionEntry>.allocatedBytes(growingTo: slots)
      + SlotList.allocatedBytes(slots: 0)
  }

  func reserve(slots: Int) {
    order.reserve(slots: slots)
    admission.reserve(slots: slots)
    entries.grow(toAtLeast: slots, filling: EvictionEntry(slot: -1, fingerprint: 0))
  }

  func admits(_ candidate: EvictionEntry) -> Bool {
    admission.didUse(candidate)
    self.candidate = candidate.fingerprint
    announced = Int(candidate.weight)
    comparedVictim = nextVictim()
    guard let comparedVictim else { return true }
    return admission.admits(candidate, over: entries[comparedVictim])
  }

  func willInsert(_ entry: EvictionEntry) {
    announced = Int(entry.weight)
    // An entity on probation enters the order later, or never.
    if !Admission.holdsOnProbation { order.willInsert(entry) }
  }

  func didInsert(_ entry: EvictionEntry) {
    if candidate != entry.fingerprint { admission.didUse(entry) }
    candidate = nil
    announced = 0
    entries[entry.slot] = entry
    if Admission.holdsOnProbation {
      probation.append(entry.slot, weight: entry.weight, slots: entries.count)
    } else {
      order.didInsert(entry)
    }
  }

  func didHit(_ hits: borrowing Span<EvictionEntry>) {
    comparedVictim = nil
    for index in hits.indices { admission.didUse(hits[index]) }
    guard probation.count > 0 else {
      order.didHit(hits)
      return
    }
    for index in hits.indices {
      if leaveProbation(hits[index].slot) {
        order.didInsert(hits[index])
      } else {
        order.didHit(hits.extracting(index..<index + 1))
      }
    }
  }

  func didRetain(_ slot: Slot) {
    comparedVictim = nil
    if !leaveProbation(slot) { order.didRetain(slot) }
  }

  func didRelease(_ entry: EvictionEntry) {
    // A retained entity was used, so it is admitted.
    entries[entry.slot] = entry
    order.didRelease(entry)
  }

  func didRemove(_ slot: Slot, cause: RemovalCause) {
    comparedVictim = nil
    if !leaveProbation(slot) { order.didRemove(slot, cause: cause) }
  }

  func nextVictim() -> Slot? {
    if let comparedVictim { return comparedVictim }
    if probation.weight + announced > probationLimit, let oldest = probation.oldest(but: nil) {
      return oldest
    }
    return order.nextVictim() ?? probation.oldest(but: nil)
  }

  func checkInvariants() {
    order.checkInvariants()
    probation.checkInvariants()
  }

  private func leaveProbation(_ slot: Slot) -> Bool {
    guard probation.contains(slot) else { return false }
    probation.remove(slot, weight: entries[slot].weight)
    return true
  }
}
