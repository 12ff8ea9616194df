package import CacheModel
package import Workloads

/// The texts that a black-box cache has stored by key, which survive its processes.
///
/// The harness keeps them, so that the storage has virtual time too: a text is written a moment after the
/// turn that stores it, and texts stored in a process's last moment are lost. All texts of one turn are
/// written together.
struct StoredTexts: Sendable {
  /// Looked up; read in the order of keys only.
  private var written: [TextKey: String] = [:]
  /// Pending changes in the order of turns.
  private var onTheWay: [Change] = []
  private let faults: [StorageRefusal]
  private let countedSince: Instant
  private var bytes = 0
  /// The peak size in bytes.
  private(set) var peakBytes = 0
  /// The number of texts written since counting began.
  private(set) var count = 0
  /// The size in bytes once all is written, including texts replaced meanwhile.
  private var bytesAhead = 0

  private struct Change: Sendable {
    var due: Instant
    var key: TextKey
    var value: String?
    var bytes: Int { key.text.utf8.count + (value?.utf8.count ?? 0) }
  }

  /// The time of a write: as of the built-in caches' storage.
  static let writeTime = Duration.nanoseconds(SimulatedDisk.writeTime)
  /// The maximum size of all texts, keys included.
  static let mostBytes = 64 << 20

  /// - Parameters:
  ///   - faults: when writes are rejected, or everything is lost.
  ///   - countedSince: the end of the warm-up.
  init(faults: [StorageRefusal] = [], countedSince: Instant = .zero) {
    self.faults = faults
    self.countedSince = countedSince
  }

  /// Stores a text, or removes it if there is no value.
  mutating func put(_ key: String, _ value: String?, at now: Instant) throws(CacheFault) {
    write(until: now)
    let change = Change(due: now.advanced(by: Self.writeTime), key: TextKey(key), value: value)
    guard bytes + bytesAhead + change.bytes <= Self.mostBytes else {
      throw CacheFault(.storedTooMuch, "more than \(Self.mostBytes) bytes")
    }
    bytesAhead += change.bytes
    onTheWay.append(change)
  }

  /// Writes changes that are due by an instant.
  private mutating func write(until now: Instant) {
    var next = 0
    while next < onTheWay.count, onTheWay[next].due <= now {
      write(onTheWay[next])
      next += 1
    }
    onTheWay.removeFirst(next)
  }

  private mutating func write(_ change: Change) {
    bytesAhead -= change.bytes
    if let fault = faults.first(where: { $0.during.contains(change.due) })?.fault {
      if fault == .corrupt { (written, bytes) = ([:], 0) }
      return
    }
    if let former = written.removeValue(forKey: change.key) {
      bytes -= change.key.text.utf8.count + former.utf8.count
    }
    if let value = change.value {
      written[change.key] = value
      bytes += change.bytes
    }
    peakBytes = max(peakBytes, bytes)
    if change.due >= countedSince { count += 1 }
  }

  /// Returns the stored texts for the next process, in the order of keys, if one ends now: pending changes
  /// are lost.
  mutating func endProcess(at now: Instant) -> [StoredText] {
    write(until: now)
    (onTheWay, bytesAhead) = ([], 0)
    return written.keys.sorted().map { StoredText(key: $0.text, value: written[$0] ?? "") }
  }
}

/// A text stored by a cache, and its key.
public struct StoredText: Hashable, Sendable {
  public var key: String
  public var value: String
}

/// The state of one client that survives its cache's processes: the stored texts, and the harness's records.
package final class OutlivingState {
  var stored: StoredTexts
  /// Whether the cache stores at all; otherwise a process begins empty.
  var isStoring = false
  var sent: SentStates?
  var created: [UInt32: UInt32] = [:]
  var told: Set<UInt32> = []
  /// Writes of earlier processes without an answer: the next one may have stored them, and may send them.
  var writes: [ExternalCacheDriver.PendingWrite] = []
  /// The list membership that it receives; `nil` if it receives none.
  var lists: TruthOfLists?

  package init(of workload: Workload, client: Int) {
    stored = StoredTexts(
      faults: workload.clients[client].storageFaults,
      countedSince: Instant.zero.advanced(by: workload.warmUp))
  }

  /// Returns the stored texts that a process finds if it begins now.
  package func beginProcess(at now: Instant) -> [StoredText] {
    isStoring ? stored.endProcess(at: now) : []
  }
}
