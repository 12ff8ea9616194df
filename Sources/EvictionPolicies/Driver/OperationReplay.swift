import CacheModel

/// Replays operations against one eviction policy: gets, sets, updates, deletes, weights, lifetimes.
///
/// Demand fill from a cold start. On a trace of gets without weights and lifetimes it counts what
/// ``UnitSizeReplay`` counts, which is faster. What each operation does stands with
/// ``OperationCache``.
enum OperationReplay<Policy: EvictionPolicy & ~Copyable> {
  /// Replays from a cold start.
  ///
  /// - Parameters:
  ///   - trace: the lines.
  ///   - rules: the capacity, and what updates and lifetimes mean.
  ///   - policy: empty, and made for that capacity.
  /// - Returns: what the driver counted.
  /// - Complexity: O(lines + evictions), and O(distinct) memory; the loop allocates nothing.
  static func run(
    _ trace: OperationTrace, rules: ReplayRules, policy: consuming Policy
  ) -> OperationCounts {
    var cache = OperationCache(for: trace, rules: rules, policy: policy)
    let ids = trace.ids.span
    let operations = trace.operations.span
    let weights = trace.weights.span
    let lifetimes = trace.lifetimes.span
    let times = trace.times.span
    let futures = Policy.needsFuture ? NextUses.of(ids, distinct: trace.distinct) : []
    let nextUses = futures.span
    let standard = rules.timeToLive ?? 0
    for index in ids.indices {
      cache.now = times.isEmpty ? Int64(index) &* rules.interval : times[index]
      var lifetime = lifetimes.isEmpty ? 0 : lifetimes[index]
      if lifetime == 0 { lifetime = standard }
      var line = OperationLine(
        id: Int(ids[index]), weight: weights.isEmpty ? 1 : weights[index], lifetime: lifetime)
      if Policy.needsFuture, nextUses[index] != NextUses.never {
        line.nextUse = Int64(nextUses[index])
      }
      switch operations.isEmpty ? .get : operations[index] {
      case .get: cache.get(line)
      case .set: cache.set(line)
      case .update: cache.update(line.id)
      case .delete: cache.delete(line.id)
      }
    }
    return cache.counts
  }
}

/// What a line says about its entity.
struct OperationLine: BitwiseCopyable {
  /// The number of the entity.
  var id: Int
  /// Bytes; 0: not known.
  var weight: Int32
  /// Nanoseconds; 0: forever.
  var lifetime: Int64
  /// The index of the next line that names the entity, where the policy asks for it.
  ///
  /// Whatever that line does: a bound that knows this future is an estimate.
  var nextUse = Int64.max
}
