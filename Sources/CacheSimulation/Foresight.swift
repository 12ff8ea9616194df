import EvictionPolicies

/// An eviction order that records every use, or reads the next one from such a record.
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
    // Moved out during the call, and put back with its capacity.
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

/// The uses of entities in a first run, so that an order can look ahead in the second.
///
/// For one client, in virtual time. Eight bytes of memory per use.
final class UseLog {
  /// The client's current virtual time.
  var now: Int64 = 0
  /// Whether the cache is serving a read: a write by an event is not a use of its entities.
  var isReading = false
  /// The times of each entity's uses, ascending; looked up, never iterated.
  private var uses: [UInt64: [Int64]] = [:]

  func note(_ fingerprint: UInt64) {
    if isReading { uses[fingerprint, default: []].append(now) }
  }

  /// Returns the next use of the entity in the first run; `Int64.max`: none.
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
