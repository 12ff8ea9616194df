import CacheModel
import NormalizedCacheCore
import SimulatedStorage
import Workloads

/// The parts of a client that outlive its process: a storage, and the bytes written to it.
///
/// A reference: it is looked at in every step, and a copy would count references to all that it holds.
final class SimulatedDisk {
  typealias Storage = MemoryStorage<Handle, SimulatedMutation>

  var storage: Storage
  let writeBehind: WriteBehind
  /// The peak bytes of rows.
  private(set) var peakBytes = 0
  /// The rows written before counting began.
  private var rowsBefore = 0

  /// The time to write a batch: a transaction on flash memory (an assumption).
  static let writeTime: Int64 = 10_000_000

  init(_ settings: DiskStorage, schema: SimulationSchema) {
    storage = Storage(
      limit: .init(maximumBytes: settings.maximumBytes ?? .max) { schema.weight(of: $0) })
    writeBehind = WriteBehind(window: settings.window)
  }

  /// The current bytes of rows.
  var usedBytes: Int { storage.usedBytes }

  /// The rows written since counting began.
  var rowsWritten: Int { storage.writtenRows - rowsBefore }

  func beginCounting() { rowsBefore = storage.writtenRows }

  /// Writes the batch that is on its way.
  func finish() -> UInt64? {
    let number = storage.finish()
    peakBytes = max(peakBytes, storage.usedBytes)
    return number
  }
}

extension ClientSimulation where Cache: ~Copyable {
  /// Takes the batch of the store's request; it is written after a while.
  mutating func beginWrite() {
    guard disk != nil, let batch = store.takeBatch(wallClock: now, at: now) else { return }
    disk?.storage.begin(batch)
    put(.written, at: now.nanoseconds + SimulatedDisk.writeTime)
  }

  /// Ends a write: the batch is stored, or rejected.
  mutating func endWrite() {
    if let fault = script.storageFaults.first(where: { $0.during.contains(now) })?.fault {
      guard let number = disk?.storage.refuse() else { return }
      if fault == .corrupt { disk?.storage.lose() }
      store.failFlush(number, fault.error, at: now)
    } else if let number = disk?.finish() {
      acknowledgeStored()
      store.completeFlush(number, at: now)
    }
  }
}

/// The counts and peaks of a client's earlier processes.
struct FormerProcesses: Sendable {
  /// The counts since the warm-up.
  var statistics = CacheStatistics()
  var predictedBytes = 0
  var overLimit = LimitShare.unlimited
  var workDone = 0

  /// Resets the counts at the end of the warm-up; peaks remain.
  mutating func beginCounting() { statistics = statistics - statistics }
}

/// Which reads of a new process repeat reads of an earlier one.
struct ColdStarts: Sendable {
  private var process: Int32 = 0
  /// The process that last read each query and each entity, plus one; 0: none.
  private var ofQuery: [Int32]
  private var ofEntity: [Int32]

  init(queries: Int, entities: Int) {
    ofQuery = [Int32](repeating: 0, count: queries)
    ofEntity = [Int32](repeating: 0, count: entities)
  }

  mutating func beginProcess() { process += 1 }

  /// Notes a read.
  ///
  /// - Returns: whether it is the process's first read of a target that an earlier process had read.
  mutating func isColdStart(ofQuery query: Int) -> Bool {
    defer { ofQuery[query] = process + 1 }
    return ofQuery[query] > 0 && ofQuery[query] <= process
  }

  mutating func isColdStart(ofEntity object: Int) -> Bool {
    defer { ofEntity[object] = process + 1 }
    return ofEntity[object] > 0 && ofEntity[object] <= process
  }
}

extension ClientSimulation where Cache: ~Copyable {
  /// Ends the process and everything that it waited for, and starts another with the storage's contents, or
  /// empty.
  ///
  /// The app shows the previous screen again, as after a state restoration, and its views read.
  mutating func relaunch() throws {
    endWaits()
    ledger?.endProcess()
    for query in observed { decideNotifications(of: query, changed: false) }
    closeAccounts()
    pending.removeAll()
    closeConnection()
    _ = disk?.storage.refuse()
    store.end()
    store = try makeStore(now)
    coldStarts?.beginProcess()
    if let disk {
      store.restore(disk.storage.contents, wallClock: now, at: now)
      store.persist(disk.writeBehind, at: now)
    }
    owed.removeAll()
    resyncsBefore = store.statistics.resyncs
    showAgain()
  }

  /// Ends waiting reads as if their views had been left.
  private mutating func endWaits() {
    func place(_ reads: [Read]) -> (Int, Int) { (reads[0].action, reads[0].query ?? -1) }
    let reads = waiting.values.filter { !$0.isEmpty }.sorted { place($0) < place($1) }
    waiting = [:]
    for read in reads.joined() {
      if !read.isRedraw, isCounted(read) { tally.abandoned += 1 }
      end(read, read.outcome)
    }
  }

  private mutating func showAgain() {
    for query in observed {
      let observers = views[query].observers
      for _ in 0..<observers { store.addObserver(of: input.keys[query], at: now) }
      views[query] = View(observers: observers)
      var read = Read(
        action: max(0, nextAction - 1), query: query, since: now.nanoseconds, isRedraw: true)
      read.isOfView = true
      read.isColdStart = coldStarts?.isColdStart(ofQuery: query) ?? false
      ask(query, read)
      showStored(query)
    }
  }

  /// Adds the counts of a process before its store is released.
  private mutating func closeAccounts() {
    let statistics = store.statistics
    former.statistics.add(statistics - countedBefore)
    countedBefore = CacheStatistics()
    former.predictedBytes = max(former.predictedBytes, predictedBytes)
    former.overLimit = former.overLimit.larger(overLimit)
    former.workDone += statistics.entityAccesses + statistics.itemsApplied
  }
}
