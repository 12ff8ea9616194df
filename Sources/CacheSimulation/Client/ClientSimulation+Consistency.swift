import CacheModel
import NormalizedCacheCore
import Workloads

/// The recovery after a partition.
struct Recovery: Sendable {
  /// The end of the partition, in nanoseconds.
  var since: Int64
  /// The server's stream position at that time.
  var position: StreamPosition
  var bytesBefore: Int
}

extension ClientSimulation where Cache: ~Copyable {
  // MARK: Quiescence

  /// Announces the server's position after the end of faults, until the cache has followed and nothing is in
  /// flight, then compares everything with the ground truth.
  mutating func settle() throws {
    pass(to: max(end, Instant(nanoseconds: server.lastCommit)))
    if ledger != nil { comeOnline() }
    var rounds = 0
    var roundsOfOutbox = 0
    repeat {
      // The outbox is sent one by one; only then is the cache idle.
      if store.outbox.isEmpty { rounds += 1 } else { roundsOfOutbox += 1 }
      try checkViews()
      if pushesEvents {
        store.receiveHeartbeat(server.place(server.position), at: now)
      }
      carryOutActions(completing: nil)
      let horizon = now.advanced(by: patience * 2)
      while let next = nextInstant(), isAwaited, next <= horizon { try takeStep(at: next) }
      checkRecoveries()
    } while rounds == 0 || !isAtRest && rounds < Self.roundsToSettle
      || !store.outbox.isEmpty && roundsOfOutbox < Self.roundsToSend
    try checkViews()
    // The recording of an app does not contain the server's own state.
    guard input.workload.truth == .known else { return }
    guard isAtRest else {
      throw divergence(
        .noQuiescence(
          cursor: store.cursor(of: StreamID(library: input.workload.library)),
          server: server.position))
    }
    try compareWithTruth()
  }

  /// A maximum for an outbox of a thousand entries.
  private static var roundsToSend: Int { 100 }

  /// Each announcement may cause a refetch of data that the previous one marked stale.
  private static var roundsToSettle: Int { 4 }

  /// Whether the cache is still busy.
  ///
  /// Later releases, as of a release buffer, and polls are not waited for: the run is over.
  private var isAwaited: Bool {
    guard pending.isEmpty else { return true }
    return store.nextDeadlineBesidesPolls.map { $0 <= now.advanced(by: patience) } ?? false
  }

  /// The maximum time for which the cache waits for anything.
  ///
  /// The simulation waits twice as long after an announcement, so that a run ends whatever its views and
  /// policies do.
  private var patience: Duration {
    max(composition.reorderWindow, composition.coalescingWindow, Self.longestBackOff)
  }

  /// The longest pause before a failed reconcile is retried.
  private static var longestBackOff: Duration { .seconds(60) }

  /// Without events the cache does not learn the server's position.
  private var isAtRest: Bool {
    pushesEvents && !Cache.isKnownFromOutside
      ? store.cursor(of: StreamID(library: input.workload.library)) == server.position
      : pending.isEmpty
  }

  /// Compares every fresh query and every fresh resident entity with the ground truth.
  private mutating func compareWithTruth() throws {
    for key in store.queriesWithResult where store.isFresh(key, at: now) {
      guard let query = input.queryOfKey[key], let members = store.members(of: key) else {
        continue
      }
      let truth = server.answer(query).rows
      if shows(members, truth, in: query) { continue }
      tally.divergentQueries += 1
      guard promisesConvergence,
        pushesEvents || missesOlderCommit(query, members)
      else { continue }
      throw divergence(
        .query(
          input.workload.queries[query],
          cached: members.map { value(of: $0, in: query) ?? .unknown }, truth: truth))
    }
    var residents: [(key: EntityKey, payload: Handle)] = []
    store.forEachResident { residents.append(($0, $1)) }
    for (key, payload) in residents where store.isFresh(key, at: now) {
      let truth = server.current[Int(payload.object)]
      if truth == payload.revision { continue }
      tally.divergentEntities += 1
      // Without events a cache cannot know of later changes.
      guard promisesConvergence, pushesEvents else { continue }
      throw divergence(
        .entity(
          key, cached: payload.revision,
          truth: truth == SimulatedServer.noRevision ? nil : truth))
    }
  }

  /// Returns whether a list lacks a commit from before the server's latest answer to its query, which a cache
  /// knows even without events.
  private mutating func missesOlderCommit(_ query: Int, _ members: [Int32]) -> Bool {
    let missed = server.earliestMissedCommit(
      served: members.compactMap { value(of: $0, in: query) }, truth: server.answer(query).rows,
      query)
    return missed.map { $0 <= views[query].answerReadAt } ?? true
  }

  /// A black-box cache has promised nothing.
  var promisesConvergence: Bool { composition.promisesConvergence && !Cache.isKnownFromOutside }

  // MARK: Recovery

  /// Ends the recoveries after which the cache agrees with the server's state at the end of the partition.
  mutating func checkRecoveries() {
    guard input.workload.truth == .known, pushesEvents else { return }
    while let recovery = recoveries.first, hasRecovered(recovery) {
      recoveries.removeFirst()
      tally.timesToConsistency.append(now.nanoseconds - recovery.since)
      tally.bytesToConsistency += tally.bytesFetched - recovery.bytesBefore
      lastSuspect = nil
    }
  }

  private mutating func hasRecovered(_ recovery: Recovery) -> Bool {
    guard Cache.isKnownFromOutside || hasFollowed(to: recovery.position) else { return false }
    // The query that failed last time is the likeliest to fail again.
    if let suspect = lastSuspect, !agrees(suspect, since: recovery.since) { return false }
    for query in observed where !agrees(query, since: recovery.since) {
      lastSuspect = query
      return false
    }
    for key in store.queriesWithResult where store.isFresh(key, at: now) {
      guard let query = input.queryOfKey[key],
        !agrees(query, since: recovery.since, isFresh: true)
      else { continue }
      lastSuspect = query
      return false
    }
    return true
  }

  private func hasFollowed(to position: StreamPosition) -> Bool {
    guard let cursor = store.cursor(of: StreamID(library: input.workload.library)) else {
      return false
    }
    return cursor.epoch > position.epoch
      || cursor.epoch == position.epoch && cursor.sequence >= position.sequence
  }

  /// Whether an observed or fresh query misses no commit before an instant; `isFresh`: it is known to be.
  private mutating func agrees(_ query: Int, since time: Int64, isFresh: Bool = false) -> Bool {
    let isObserved = views[query].observers > 0
    let key = input.keys[query]
    guard isObserved || isFresh || store.isFresh(key, at: now) else { return true }
    let truth = server.answer(query)
    let rows: [Handle]
    if isObserved, !isComplete(query) {
      rows = views[query].shown ?? []
    } else {
      guard let members = store.members(of: key) else { return false }
      if shows(members, truth.rows, in: query) { return true }
      rows = members.map { value(of: $0, in: query) ?? .unknown }
    }
    if input.seen.look(of: rows, in: query) == input.seen.look(of: truth.rows, in: query) {
      return true
    }
    guard rows.allSatisfy(\.hasValue) else { return false }
    let missed = server.earliestMissedCommit(
      served: rows, truth: truth.rows, query)
    return missed.map { $0 > time } ?? false
  }
}

/// The counts of a run: from the end of the warm-up, and once at the end.
extension ClientSimulation where Cache: ~Copyable {
  /// Adds the memory reported by the cache, until an instant.
  mutating func note(_ use: CacheUse, until next: Instant) {
    ownDisk.peakBytes = max(ownDisk.peakBytes, use.diskBytes)
    ownDisk.files = max(ownDisk.files, use.files)
    guard isCounting else { return }
    diskNanoseconds += Double(next.nanoseconds - now.nanoseconds) * Double(use.diskBytes)
  }

  /// Resets the counts at the end of the warm-up.
  ///
  /// Divergences count at any time, and so do peaks, since the memory was used.
  mutating func beginCounting() {
    isCounting = true
    countedBefore = store.statistics
    var counted = Tally(classes: tally.queries.count)
    counted.missedNotifications = tally.missedNotifications
    counted.operations = tally.operations
    tally = counted
    recoveries.removeAll()
    former.beginCounting()
    disk?.beginCounting()
    ownDisk.writesBefore = store.use?.diskWrites ?? 0
  }

  /// The largest used share of a limit.
  ///
  /// Of the cache's own limit, or without one, of the comparison's; 0 if there is none.
  var overLimit: LimitShare {
    if let own = store.fullestLimit { return own }
    let shared = input.sharedLimits
    let ofTables =
      store.peakShare(of: shared.capacity, maximumQueries: shared.maximumQueries) ?? .unlimited
    guard let memory = shared.capacity.memory else { return ofTables }
    return ofTables.larger(
      LimitShare(Double(predictedBytes) / Double(max(1, memory)), of: .memory))
  }

  /// The predicted memory of the cache in bytes; 0 if unknown.
  var predictedBytes: Int { store.predictedBytes(input.memory) ?? 0 }

  mutating func finishTally() {
    let statistics = store.statistics
    tally.store = statistics - countedBefore
    tally.store.add(former.statistics)
    tally.falseGaps = gaps.falseGaps
    tally.predictedBytes = max(former.predictedBytes, predictedBytes)
    tally.overLimit = former.overLimit.larger(overLimit)
    tally.workDone = former.workDone + statistics.entityAccesses + statistics.itemsApplied
    tally.relaunches = nextRelaunch
    if let ledger, let writing = server.writing {
      tally.writes = ledger.tally(
        effects: writing.effects, from: input.workload.warmUp.wholeNanoseconds)
    }
    let elapsed = Double(now.nanoseconds - input.workload.warmUp.wholeNanoseconds)
    let meanDiskBytes = elapsed > 0 ? diskNanoseconds / elapsed : 0
    if let disk {
      tally.disk = DiskTally(
        peakBytes: disk.peakBytes, meanBytes: meanDiskBytes, rowsWritten: disk.rowsWritten)
    } else if let use = store.use {
      note(use, until: now)
      tally.disk = DiskTally(
        peakBytes: ownDisk.peakBytes, meanBytes: meanDiskBytes,
        rowsWritten: use.diskWrites - ownDisk.writesBefore, peakFiles: ownDisk.files)
      tally.hasTiers = true
    }
    tally.meanEntities = elapsed > 0 ? entityNanoseconds / elapsed : 0
    tally.meanWeight = elapsed > 0 ? weightNanoseconds / elapsed : 0
  }
}
