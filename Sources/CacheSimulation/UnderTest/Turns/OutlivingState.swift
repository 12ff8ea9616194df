package import CacheModel
package import Workloads

/// What of one client outlives the processes of its cache: what it stored, and what the harness knows
/// of the client.
package final class OutlivingState {
  var stored: StoredTexts
  /// Whether the cache stores at all: else a process begins with nothing.
  var isStoring = false
  var isSent: [Bool]?
  var created: [UInt32: UInt32] = [:]
  var told: Set<UInt32> = []
  /// Writes of former processes without an answer: the next may have stored them, and send them.
  var writes: [ExternalCacheDriver.PendingWrite] = []
  /// What it is told of lists, where it is; else `nil`.
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
