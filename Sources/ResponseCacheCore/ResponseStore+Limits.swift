package import CacheModel
import EvictionPolicies

/// What has to go.
extension ResponseStore {
  /// Brings the entries without a tag to the maximum.
  package mutating func sweep(at now: Instant) {
    guard canStore else { return }
    sweepDue = options.sweepInterval.map { now.advanced(by: $0) }
    statistics.sweeps += 1
    for file in undeleted { deletions.append(file) }
    undeleted = []
    statistics.sweptEntries += evict(at: now) { $0.implicit.count > $0.options.maximumEntries }
    keepToLimits(at: now)
  }

  /// Has entries without a tag leave until the files are within their limit, and bodies leave memory.
  mutating func keepToLimits(at now: Instant) {
    if let limit = options.diskBytes {
      statistics.evictedEntries += evict(at: now) { $0.diskUsed > limit }
    }
    if options.memoryBytes != nil { memory.keep(within: roomForBodies) }
  }

  /// Whether a body may be stored at all: not where all others would leave for it, and it too.
  func fits(_ bytes: Int, for key: Key, tags: [TextKey] = []) -> Bool {
    guard let limit = options.diskBytes, tags.isEmpty, self[key]?.tags.isEmpty ?? true else {
      return true
    }
    return bytes <= limit - ResponseOptions.entryOverhead
  }

  /// What bodies in memory, and the tables that find them, may take.
  var roomForBodies: Int { options.memoryBytes.map { $0 - tablesOfEntries } ?? .max }

  private mutating func evict(at now: Instant, while isAbove: (borrowing Self) -> Bool) -> Int {
    guard isAbove(self) else { return 0 }
    if isOutOfOrder { putInOrder() }
    var evicted = 0
    while isAbove(self), let victim = implicit.victim() {
      drop(victim, cause: .evicted, at: now)
      evicted += 1
    }
    if evicted > 0 { notices.append(.swept(evicted)) }
    return evicted
  }

  private mutating func putInOrder() {
    let entries = table.compactMap(\.self).filter(\.tags.isEmpty)
    for entry in entries { implicit.remove(entry.key, cause: .retained) }
    for entry in entries.enumerated().sorted(by: {
      ($0.element.lastRead, $0.offset) < ($1.element.lastRead, $1.offset)
    }) {
      implicit.insert(entry.element.key)
    }
    isOutOfOrder = false
  }
}
