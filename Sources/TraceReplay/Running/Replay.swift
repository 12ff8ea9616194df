import CacheModel
package import EvictionPolicies
package import Text

/// Replays traces of keys with eviction orders.
package enum Replay {
  package struct Cell: Sendable {
    package var policy: EvictionPolicyDescriptor
    /// The capacity in entities, or in bytes if the rules say so.
    package var capacity: Int
    /// The rules for a replay of operations; `nil`: reads only, with a weight of one.
    package var rules: ReplayRules?

    package init(policy: EvictionPolicyDescriptor, capacity: Int, rules: ReplayRules? = nil) {
      self.policy = policy
      self.capacity = capacity
      self.rules = rules
    }
  }

  package static func run(_ cell: Cell, of trace: InternedTrace, seed: UInt64) -> ReplayRow {
    run(cell, of: trace, nextUses: nextUses(for: [cell], of: trace), seed: seed)
  }

  /// Computes the next uses if at least one cell requires them.
  ///
  /// - Returns: the ``NextUses`` of the trace, or an empty array.
  package static func nextUses(for cells: [Cell], of trace: InternedTrace) -> [UInt32] {
    cells.contains { $0.policy.needsFuture && $0.rules == nil }
      ? NextUses.of(trace.ids.span, distinct: trace.distinct) : []
  }

  package static func run(
    _ cell: Cell, of trace: InternedTrace, nextUses: [UInt32], seed: UInt64
  ) -> ReplayRow {
    let random = RandomSource(seed: seed).substream("eviction")
    if let rules = cell.rules {
      let counts = cell.policy.replayOperations(trace.lines, rules, random)
      return ReplayRow(
        trace: trace.name, policy: cell.policy.name, capacity: rules.capacity, operations: counts,
        hasWeights: !trace.weights.isEmpty, isEstimate: cell.policy.needsFuture)
    }
    let counts = cell.policy.replayUnitSize(
      trace.ids.span, nextUses: nextUses.span, trace.distinct, cell.capacity, random)
    return ReplayRow(
      trace: trace.name, policy: cell.policy.name, capacity: cell.capacity,
      counts: counts)
  }

  /// Replays many cells in parallel; returns rows in the order of the cells.
  package static func run(
    _ cells: [Cell], of trace: InternedTrace, seed: UInt64, width: Int
  ) async -> [ReplayRow] {
    let nextUses = nextUses(for: cells, of: trace)
    return await withTaskGroup(of: (Int, ReplayRow).self) { group in
      var rows = [ReplayRow?](repeating: nil, count: cells.count)
      var started = 0
      func start() {
        guard started < cells.count else { return }
        let (index, cell) = (started, cells[started])
        started += 1
        group.addTask { (index, run(cell, of: trace, nextUses: nextUses, seed: seed)) }
      }
      for _ in 0..<max(1, width) { start() }
      while let (index, row) = await group.next() {
        rows[index] = row
        start()
      }
      return rows.compactMap { $0 }
    }
  }
}

extension Replay {
  /// The options for replaying operations, if a trace has any.
  package struct Options: Hashable, Sendable {
    package var updates: ReplayRules.Updates
    /// The lifetime in nanoseconds; `nil`: unlimited, except for lifetimes of the trace.
    package var timeToLive: Int64?
    /// The time between lines in nanoseconds, if the trace has no times; `nil`: unknown.
    package var interval: Int64?

    package init(
      updates: ReplayRules.Updates = .invalidate, timeToLive: Int64? = nil, interval: Int64? = nil
    ) {
      self.updates = updates
      self.timeToLive = timeToLive
      self.interval = interval
    }
  }

  /// Returns the cells of a comparison, policy by policy; requests for the same effective capacity give one
  /// cell.
  ///
  /// A cell replays operations only if necessary: the trace has some, entities expire, or the capacity is in
  /// bytes. If it is in entities, every entity has a weight of one.
  package static func cells(
    for trace: InternedTrace, policies: [EvictionPolicyDescriptor],
    capacities: [CapacityRequest], options: Options = Options()
  ) throws(CapacityError) -> [Cell] {
    var sizes: [ReplayCapacity] = []
    for request in capacities {
      let size = try request.capacity(for: trace)
      if !sizes.contains(size) { sizes.append(size) }
    }
    var cells: [Cell] = []
    for policy in policies {
      for size in sizes { cells.append(try cell(policy, at: size, of: trace, options: options)) }
    }
    return cells
  }

  package static func cell(
    _ policy: EvictionPolicyDescriptor, at size: ReplayCapacity, of trace: InternedTrace,
    options: Options
  ) throws(CapacityError) -> Cell {
    let expires = !trace.lifetimes.isEmpty || options.timeToLive != nil
    guard !expires || !trace.times.isEmpty || options.interval != nil else {
      throw .expiryWithoutTimes
    }
    let rules = ReplayRules(
      capacity: size, updates: options.updates, timeToLive: options.timeToLive,
      interval: options.interval ?? 0)
    return switch size {
    case .entities(let count) where trace.operations.isEmpty && !expires:
      Cell(policy: policy, capacity: count)
    case .entities(let count), .bytes(let count):
      Cell(policy: policy, capacity: count, rules: rules)
    }
  }
}

/// The result of replaying one trace with one policy at one capacity.
package struct ReplayRow: Hashable, Sendable {
  package var trace: String
  package var policy: String
  package var capacity: ReplayCapacity
  package var counts: ReplayCounts
  package var operations: OperationCounts?
  /// Whether the trace has entities' weights.
  package var hasWeights = false
  /// Whether the policy has partial knowledge of the future: the next line with the entity, but not its
  /// operation.
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

  /// The hits per get, 0 to 1; `nil` without requests.
  package var hitRatio: Double? { Self.ratio(counts.hits, of: counts.requests) }

  /// The served bytes per requested byte, 0 to 1.
  package var byteHitRatio: Double? {
    operations.flatMap { Self.ratio($0.bytesRequested - $0.bytesMissed, of: $0.bytesRequested) }
  }

  /// The row's values in the order of columns: the same for every row, so that files of several replays can
  /// be concatenated.
  ///
  /// Values that only a replay of operations has are null otherwise.
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
