import CacheModel
import NormalizedCacheCore
import Workloads

/// The way back after a partition.
struct Recovery: Sendable {
  /// When the link came back, in nanoseconds.
  var since: Int64
  /// The server's position then.
  var position: StreamPosition
  var bytesBefore: Int
}

extension ClientSimulation where Cache: ~Copyable {
  // MARK: Quiescence

  /// Faults have ended: announces the server's position until the cache has followed and nothing is
  /// under way, then compares everything with the truth.
  mutating func settle() throws {
    pass(to: max(end, Instant(nanoseconds: server.lastCommit)))
    if ledger != nil { comeOnline() }
    var rounds = 0
    var roundsOfOutbox = 0
    repeat {
      // What waits in the outbox is sent one by one; only then is the cache idle.
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
    // A recording of what an app saw says nothing of the server's own state.
    guard input.workload.truth == .known else { return }
    guard isAtRest else {
      throw divergence(
        .noQuiescence(
          cursor: store.cursor(of: StreamID(library: input.workload.library)),
          server: server.position))
    }
    try compareWithTruth()
  }

  /// An outbox of a thousand entries is empty after fewer.
  private static var roundsToSend: Int { 100 }

  /// Each announcement may bring a refetch of what the one before marked stale.
  private static var roundsToSettle: Int { 4 }

  /// Whether the cache is not at rest.
  ///
  /// What it would only let go of later, as a release buffer does, or ask for once more, as one does that
  /// polls, is not waited for: the run is over.
  private var isAwaited: Bool {
    guard pending.isEmpty else { return true }
    return store.nextDeadlineBesidesPolls.map { $0 <= now.advanced(by: patience) } ?? false
  }

  /// How long the cache waits for anything.
  ///
  /// Twice that is waited for it after an announcement, so that a run ends whatever views and policies
  /// do to one another.
  private var patience: Duration {
    max(composition.reorderWindow, composition.coalescingWindow, Self.longestBackOff)
  }

  /// The longest pause before a failed reconcile is tried again.
  private static var longestBackOff: Duration { .seconds(60) }

  /// Without events the cache does not learn the server's position.
  private var isAtRest: Bool {
    pushesEvents && !Cache.isKnownFromOutside
      ? store.cursor(of: StreamID(library: input.workload.library)) == server.position
      : pending.isEmpty
  }

  /// Compares every cached query and every resident entity that the cache calls fresh.
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
      // Without events no cache can know of what changed since it asked.
      guard promisesConvergence, pushesEvents else { continue }
      throw divergence(
        .entity(
          key, cached: payload.revision,
          truth: truth == SimulatedServer.noRevision ? nil : truth))
    }
  }

  /// Whether a list lacks a commit from before the server's latest answer to its query: that much a
  /// cache without events knows.
  private mutating func missesOlderCommit(_ query: Int, _ members: [Int32]) -> Bool {
    let missed = server.earliestMissedCommit(
      served: members.compactMap { value(of: $0, in: query) }, truth: server.answer(query).rows,
      query)
    return missed.map { $0 <= views[query].answerReadAt } ?? true
  }

  /// What is known only from outside has promised nothing.
  var promisesConvergence: Bool { composition.promisesConvergence && !Cache.isKnownFromOutside }

  // MARK: Recovery

  /// Ends the recoveries after which the cache agrees with the server's state when the link came
  /// back.
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
    // What failed last time is the likeliest to fail again.
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

/// What is counted of a run: from the end of the warm-up on, and once at the end.
extension ClientSimulation where Cache: ~Copyable {
  /// Notes what the cache has said that it takes, until an instant.
  mutating func note(_ use: CacheUse, until next: Instant) {
    ownDisk.peakBytes = max(ownDisk.peakBytes, use.diskBytes)
    ownDisk.files = max(ownDisk.files, use.files)
    guard isCounting else { return }
    diskNanoseconds += Double(next.nanoseconds - now.nanoseconds) * Double(use.diskBytes)
  }

  /// The warm-up is over: what was counted so far counts nowhere.
  ///
  /// But for broken promises, which are broken at any time, and for peaks, since memory that was
  /// once taken was taken.
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

  /// The largest share of a limit that was in use.
  ///
  /// Of its own, or where it has none of those that the comparison shares; 0 if there is no limit.
  var overLimit: LimitShare {
    if let own = store.fullestLimit { return own }
    let shared = input.sharedLimits
    let ofTables =
      store.peakShare(of: shared.capacity, maximumQueries: shared.maximumQueries) ?? .unlimited
    guard let memory = shared.capacity.memory else { return ofTables }
    return ofTables.larger(
      LimitShare(Double(predictedBytes) / Double(max(1, memory)), of: .memory))
  }

  /// What the cache takes in memory; 0 if that is not known.
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
