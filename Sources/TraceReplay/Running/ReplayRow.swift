package import EvictionPolicies
package import Text

/// The result of replaying one trace against one policy at one capacity.
package struct ReplayRow: Hashable, Sendable {
  package var trace: String
  package var policy: String
  package var capacity: ReplayCapacity
  /// Of gets.
  package var counts: ReplayCounts
  /// What a replay of operations counted besides.
  package var operations: OperationCounts?
  /// Whether the trace says what its entities weigh.
  package var hasWeights = false
  /// Whether the policy claims to know the future, and does not: it was told when an entity is next
  /// named, not what for.
  package var isEstimate = false

  package init(trace: String, policy: String, capacity: Int, counts: ReplayCounts) {
    self.trace = trace
    self.policy = policy
    self.capacity = .entities(capacity)
    self.counts = counts
  }

  package init(
    trace: String, policy: String, capacity: ReplayCapacity, operations: OperationCounts,
    hasWeights: Bool, isEstimate: Bool
  ) {
    self.trace = trace
    self.policy = policy
    self.capacity = capacity
    counts = operations.reads
    self.operations = operations
    self.hasWeights = hasWeights
    self.isEstimate = isEstimate
  }

  /// Hits per get, 0 to 1; `nil` where nothing was requested.
  package var hitRatio: Double? { Self.ratio(counts.hits, of: counts.requests) }

  /// Bytes served per byte asked for, 0 to 1.
  package var byteHitRatio: Double? {
    operations.flatMap { Self.ratio($0.bytesRequested - $0.bytesMissed, of: $0.bytesRequested) }
  }

  /// What the row holds, in the order of columns: the same for every row, so that files of several
  /// replays can be put one below the other.
  ///
  /// What only a replay of operations counts is null elsewhere.
  package var values: [(column: String, value: JSONValue)] {
    let (size, unit) =
      switch capacity {
      case .entities(let count): (count, "entities")
      case .bytes(let count): (count, "bytes")
      }
    func counted(_ count: KeyPath<OperationCounts, Int>) -> JSONValue {
      operations.map { .integer($0[keyPath: count]) } ?? .null
    }
    func ratio(_ value: Double?) -> JSONValue { value.map { .real($0) } ?? .null }
    let weighs = operations != nil && hasWeights
    return [
      ("trace", .string(trace)), ("policy", .string(policy)), ("capacity", .integer(size)),
      ("requests", .integer(counts.requests)), ("hits", .integer(counts.hits)),
      ("misses", .integer(counts.misses)), ("hit_ratio", ratio(hitRatio)),
      ("evictions", .integer(counts.evictions)), ("rejections", .integer(counts.rejections)),
      ("capacity_unit", .string(unit)), ("sets", counted(\.sets)), ("updates", counted(\.updates)),
      ("deletes", counted(\.deletes)), ("compulsory_misses", counted(\.compulsoryMisses)),
      ("capacity_misses", counted(\.capacityMisses)),
      ("coherence_misses", counted(\.coherenceMisses)),
      ("expired_misses", counted(\.expiredMisses)), ("stale_hits", counted(\.staleHits)),
      ("invalidations", counted(\.invalidations)), ("deletions", counted(\.deletions)),
      ("bytes_requested", weighs ? counted(\.bytesRequested) : .null),
      ("bytes_missed", weighs ? counted(\.bytesMissed) : .null),
      ("byte_hit_ratio", weighs ? ratio(byteHitRatio) : .null),
      ("estimate", .string(isEstimate ? "yes" : "no")),
    ]
  }

  private static func ratio(_ part: Int, of whole: Int) -> Double? {
    whole == 0 ? nil : Double(part) / Double(whole)
  }
}
