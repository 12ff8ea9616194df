import EvictionPolicies

/// An eviction order that records every use, or learns the next one from such a record.
final class ForesightOrder: EvictionOrder {
  private let order: any EvictionOrder
  private let log: UseLog
  private let isRehearsal: Bool
  private var hits: [EvictionEntry] = []

  init(_ order: any EvictionOrder, log: UseLog, isRehearsal: Bool) {
    self.order = order
    self.log = log
    self.isRehearsal = isRehearsal
  }

  func didHit(_ entries: borrowing Span<EvictionEntry>) {
    guard !isRehearsal else {
      for index in entries.indices { log.note(entries[index].fingerprint) }
      order.didHit(entries)
      return
    }
    // Taken out for the time of the call, and put back with its space.
    var batch: [EvictionEntry] = []
    swap(&batch, &hits)
    batch.removeAll(keepingCapacity: true)
    for index in entries.indices { batch.append(foreseen(entries[index])) }
    order.didHit(batch.span)
    swap(&batch, &hits)
  }

  func didInsert(_ entry: EvictionEntry) { order.didInsert(foreseen(entry)) }
  func didRelease(_ entry: EvictionEntry) { order.didRelease(foreseen(entry)) }
  func willInsert(_ entry: EvictionEntry) { order.willInsert(foreseen(entry)) }
  func admits(_ candidate: EvictionEntry) -> Bool { order.admits(foreseen(candidate)) }

  func reserve(slots: Int) { order.reserve(slots: slots) }
  func didRetain(_ slot: Slot) { order.didRetain(slot) }
  func didRemove(_ slot: Slot, cause: RemovalCause) { order.didRemove(slot, cause: cause) }
  func nextVictim() -> Slot? { order.nextVictim() }
  func checkInvariants() { order.checkInvariants() }

  private func foreseen(_ entry: EvictionEntry) -> EvictionEntry {
    guard !isRehearsal else { return entry }
    var entry = entry
    entry.nextUse = log.nextUse(of: entry.fingerprint)
    return entry
  }
}

/// When entities were used in a rehearsal, so that an order can look ahead in the performance.
///
/// One client's, in virtual time. Memory of eight bytes per use.
final class UseLog {
  /// The virtual time, as its client keeps it.
  var now: Int64 = 0
  /// Whether what the cache does is for a session that reads: an event's write is no use of what it
  /// brings.
  var isReading = false
  /// The instants of each entity's uses, ascending; looked up, never iterated.
  private var uses: [UInt64: [Int64]] = [:]

  func note(_ fingerprint: UInt64) {
    if isReading { uses[fingerprint, default: []].append(now) }
  }

  /// When the entity was used next in the rehearsal; `Int64.max`: never again.
  ///
  /// O(log uses of the entity).
  func nextUse(of fingerprint: UInt64) -> Int64 {
    guard let instants = uses[fingerprint] else { return .max }
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] <= now { low = middle + 1 } else { high = middle }
    }
    return low < instants.count ? instants[low] : .max
  }
}
