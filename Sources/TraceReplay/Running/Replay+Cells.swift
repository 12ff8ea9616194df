package import EvictionPolicies

extension Replay {
  /// How operations are replayed, where a trace has any.
  package struct Options: Hashable, Sendable {
    package var updates: ReplayRules.Updates
    /// Nanoseconds; `nil`: forever, but for lifetimes of the trace.
    package var timeToLive: Int64?
    /// Nanoseconds from line to line where the trace has no times; `nil`: not given.
    package var interval: Int64?

    package init(
      updates: ReplayRules.Updates = .invalidate, timeToLive: Int64? = nil, interval: Int64? = nil
    ) {
      self.updates = updates
      self.timeToLive = timeToLive
      self.interval = interval
    }
  }

  /// The cells of a comparison, policy by policy; requests that resolve to the same capacity are
  /// replayed once.
  ///
  /// A cell replays operations only where it must: the trace has some, something expires, or the
  /// capacity is in bytes. Where it is in entities, every entity weighs one.
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

  /// The cell of one policy at one capacity.
  ///
  /// - Throws: ``CapacityError/expiryWithoutTimes``.
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
