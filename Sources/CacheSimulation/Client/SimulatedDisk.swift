import CacheModel
import NormalizedCacheCore
import SimulatedStorage
import Workloads

/// What outlives the process of one client: a storage, and how much was written to it.
struct SimulatedDisk: Sendable {
  typealias Storage = MemoryStorage<Handle, SimulatedMutation>

  var storage: Storage
  let writeBehind: WriteBehind
  /// The most that rows took at once.
  private(set) var peakBytes = 0
  /// Rows that were written when counting began.
  private var rowsBefore = 0

  /// How long it takes to write a batch: a transaction on flash memory (an assumption).
  static let writeTime: Int64 = 10_000_000

  init(_ settings: DiskStorage, schema: SimulationSchema) {
    storage = Storage(
      limit: .init(maximumBytes: settings.maximumBytes ?? .max) { schema.weight(of: $0) })
    writeBehind = WriteBehind(window: settings.window)
  }

  /// What rows take now.
  var usedBytes: Int { storage.usedBytes }

  /// Rows written since counting began.
  var rowsWritten: Int { storage.writtenRows - rowsBefore }

  mutating func beginCounting() { rowsBefore = storage.writtenRows }

  /// Writes the batch that is on its way.
  mutating func finish() -> UInt64? {
    let number = storage.finish()
    peakBytes = max(peakBytes, storage.usedBytes)
    return number
  }
}

extension ClientSimulation where Cache: ~Copyable {
  /// Takes the batch that the store asked to be taken; it is written after a while.
  mutating func beginWrite() {
    guard disk != nil, let batch = store.takeBatch(wallClock: now, at: now) else { return }
    disk?.storage.begin(batch)
    put(.written, at: now.nanoseconds + SimulatedDisk.writeTime)
  }

  /// The batch is in the storage, or is refused.
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
