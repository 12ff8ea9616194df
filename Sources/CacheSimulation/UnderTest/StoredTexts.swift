package import CacheModel
package import Workloads

/// What a cache that is known only from outside has stored: texts by key, which outlive its processes.
///
/// The harness keeps them, so that a storage has virtual time as well: a text is written a moment after
/// the turn that stores it, and what a process stored in its last moment is lost with it. All that one
/// turn stores is written together.
struct StoredTexts: Sendable {
  /// Looked up; read out only in the order of keys.
  private var written: [TextKey: String] = [:]
  /// In the order of turns.
  private var onTheWay: [Change] = []
  private let faults: [StorageRefusal]
  private let countedSince: Instant
  private var bytes = 0
  /// The most that lay there at once, in bytes.
  private(set) var peakBytes = 0
  /// How many texts were written since counting began.
  private(set) var count = 0
  /// What there will be once all is written, in bytes; what was replaced meanwhile is in it.
  private var bytesAhead = 0

  private struct Change: Sendable {
    var due: Instant
    var key: TextKey
    var value: String?
    var bytes: Int { key.text.utf8.count + (value?.utf8.count ?? 0) }
  }

  /// How long it takes to write: as the built-in caches' storage.
  static let writeTime = Duration.nanoseconds(SimulatedDisk.writeTime)
  /// More than this cannot be stored, keys included.
  static let mostBytes = 64 << 20

  /// - Parameters:
  ///   - faults: when what is written is refused, or all is lost.
  ///   - countedSince: the end of the warm-up.
  init(faults: [StorageRefusal] = [], countedSince: Instant = .zero) {
    self.faults = faults
    self.countedSince = countedSince
  }

  /// Stores a text, or removes what is stored, where there is none.
  ///
  /// - Throws: ``CacheFault`` if there is no room.
  mutating func put(_ key: String, _ value: String?, at now: Instant) throws(CacheFault) {
    write(until: now)
    let change = Change(due: now.advanced(by: Self.writeTime), key: TextKey(key), value: value)
    guard bytes + bytesAhead + change.bytes <= Self.mostBytes else {
      throw CacheFault(.storedTooMuch, "more than \(Self.mostBytes) bytes")
    }
    bytesAhead += change.bytes
    onTheWay.append(change)
  }

  /// Writes what is due by an instant.
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

  /// What the next process finds, in the order of keys, where one ends now: what was on the way is lost.
  mutating func endProcess(at now: Instant) -> [StoredText] {
    write(until: now)
    (onTheWay, bytesAhead) = ([], 0)
    return written.keys.sorted().map { StoredText(key: $0.text, value: written[$0] ?? "") }
  }
}

/// A text that a cache stored, and its key.
public struct StoredText: Hashable, Sendable {
  public var key: String
  public var value: String
}

/// What of one client outlives the processes of its cache: what it stored, and what the harness knows
/// of the client.
package final class OutlivingState {
  var stored: StoredTexts
  /// Whether the cache stores at all: else a process begins with nothing.
  var isStoring = false
  var sent: SentStates?
  var created: [UInt32: UInt32] = [:]
  var told: Set<UInt32> = []
  /// Writes of former processes without an answer: the next may have stored them, and send them.
  var writes: [ExternalCacheDriver.PendingWrite] = []
  /// The list membership that it is given; `nil` if it is not.
  var lists: TruthOfLists?

  package init(of workload: Workload, client: Int) {
    stored = StoredTexts(
      faults: workload.clients[client].storageFaults,
      countedSince: Instant.zero.advanced(by: workload.warmUp))
  }

  /// What a process that begins now finds in its storage.
  package func beginProcess(at now: Instant) -> [StoredText] {
    isStoring ? stored.endProcess(at: now) : []
  }
}
