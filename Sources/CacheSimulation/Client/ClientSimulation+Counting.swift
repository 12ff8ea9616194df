import CacheModel
import NormalizedCacheCore
import Workloads

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
  /// Of its own, or where it has none of those that the comparison shares; 0 where there is no limit.
  var overLimit: Double {
    if let own = store.overLimit { return own }
    let shared = input.sharedLimits
    let ofTables = store.peakShare(of: shared.capacity, maximumQueries: shared.maximumQueries) ?? 0
    guard let memory = shared.capacity.memory else { return ofTables }
    return max(ofTables, Double(predictedBytes) / Double(max(1, memory)))
  }

  /// What the cache takes in memory; 0 where that is not known.
  var predictedBytes: Int { store.predictedBytes(input.memory) ?? 0 }

  mutating func finishTally() {
    let statistics = store.statistics
    tally.store = statistics - countedBefore
    tally.store.add(former.statistics)
    tally.falseGaps = gaps.falseGaps
    tally.predictedBytes = max(former.predictedBytes, predictedBytes)
    tally.overLimit = max(former.overLimit, overLimit)
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
