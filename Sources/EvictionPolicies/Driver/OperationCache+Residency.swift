extension OperationCache where Policy: ~Copyable {
  /// Takes from a line what a copy made now will have.
  mutating func note(_ line: OperationLine) {
    entities[line.id].isKnown = true
    if weights.count > 0, line.weight > 0 { weights[line.id] = line.weight }
    if expiries.count > 0 {
      let (expiry, overflow) = now.addingReportingOverflow(line.lifetime)
      expiries[line.id] = line.lifetime == 0 || overflow ? .max : expiry
    }
  }

  @inline(never)
  mutating func insert(_ line: OperationLine) {
    let cost = cost(of: line.id)
    guard cost <= capacity else {
      counts.rejections += 1
      return
    }
    if used > capacity - cost {
      let arrival = entry(line, slot: -1)
      guard policy.admits(arrival) else {
        counts.rejections += 1
        return
      }
      policy.willInsert(arrival)
      while used > capacity - cost { evict() }
    }
    let slot = vacantSlot()
    residents[slot] = UInt32(truncatingIfNeeded: line.id)
    entities[line.id].slot = slot
    used += cost
    policy.didInsert(entry(line, slot: slot))
  }

  @inline(never)
  mutating func evict() {
    guard let victim = policy.nextVictim(), victim >= 0, Int(victim) < slotCount,
      entities[Int(residents[victim])].slot == victim
    else { preconditionFailure("\(Policy.name) named no resident entity in a full cache") }
    remove(Int(residents[victim]), cause: .evicted)
    counts.evictions += 1
  }

  @inline(never)
  mutating func remove(_ id: Int, cause: RemovalCause) {
    let slot = entities[id].slot
    policy.didRemove(slot, cause: cause)
    entities[id].leave()
    vacated[vacatedCount] = slot
    vacatedCount += 1
    used -= cost(of: id)
  }

  private mutating func vacantSlot() -> Slot {
    if vacatedCount > 0 {
      vacatedCount -= 1
      return vacated[vacatedCount]
    }
    slotCount += 1
    return Slot(truncatingIfNeeded: slotCount - 1)
  }

  func weight(of id: Int) -> Int { weights.count > 0 ? Int(weights[id]) : 1 }
  func cost(of id: Int) -> Int { countsBytes ? weight(of: id) : 1 }

  func entry(_ line: OperationLine, slot: Slot) -> EvictionEntry {
    EvictionEntry(
      slot: slot, fingerprint: UInt64(line.id),
      weight: countsBytes && weights.count > 0 ? weights[line.id] : 1,
      expiry: expiries.count > 0 ? expiries[line.id] : .max, nextUse: line.nextUse)
  }
}

/// Where the cache of a replay has an entity, and what it knows of it.
struct EntityState: BitwiseCopyable {
  /// -1: nowhere.
  var slot: Slot = -1
  /// Whether the trace read or wrote it, since its deletion if it was deleted.
  var isKnown = false
  /// Whether somebody wrote it after the copy was made.
  var isStale = false

  var isResident: Bool { slot >= 0 }

  mutating func leave() {
    slot = -1
    isStale = false
  }
}
