public import CacheModel

/// A registered eviction policy: its name, and how to create an order.
public struct EvictionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
  /// Whether the cache applies its capacity.
  public let isBounded: Bool
  /// Creates an empty order for a cache with this capacity in entities (`nil`: no limit).
  public let makeOrder: @Sendable (_ capacity: Int?, _ random: RandomSource) -> any EvictionOrder

  /// Whether the policy needs each entity's next request, which only a replay knows.
  public let needsFuture: Bool

  private let replay:
    @Sendable (
      _ ids: borrowing Span<UInt32>, _ nextUses: borrowing Span<UInt32>, _ distinct: Int,
      _ capacity: Int, _ random: RandomSource
    ) -> ReplayCounts

  /// Replays operations; see ``OperationReplay``.
  package let replayOperations:
    @Sendable (_ trace: OperationTrace, _ rules: ReplayRules, _ random: RandomSource) ->
      OperationCounts

  public init<Policy: EvictionPolicy & ~Copyable & SendableMetatype>(_ policy: Policy.Type) {
    self.init(policy, replay: policy)
  }

  /// Describes a policy with ghosts by its two specialisations.
  init<
    Policy: EvictionPolicy & ~Copyable & SendableMetatype,
    Replayed: EvictionPolicy & ~Copyable & SendableMetatype
  >(_ policy: Policy.Type, replay replayed: Replayed.Type) {
    name = Policy.name
    summary = Policy.summary
    source = Policy.source
    isBounded = Policy.isBounded
    needsFuture = Policy.needsFuture
    makeOrder = { PolicyOrder<Policy>(capacity: $0, random: $1) }
    // A closure over the concrete policy, so that the whole loop is specialised for it without dynamic calls.
    replay = { ids, nextUses, distinct, capacity, random in
      let capacity = Policy.isBounded ? capacity : distinct
      return UnitSizeReplay<Replayed>.run(
        ids, nextUses: nextUses, distinct: distinct, capacity: capacity,
        policy: Replayed(capacity: capacity, random: random))
    }
    replayOperations = { trace, rules, random in
      let capacity = rules.capacity.limit
      // Ghosts in a flat array all have weight one.
      return rules.capacity.isInBytes
        ? OperationReplay.run(
          trace, rules: rules, policy: Policy(capacity: capacity, random: random))
        : OperationReplay.run(
          trace, rules: rules, policy: Replayed(capacity: capacity, random: random))
    }
  }

  init(order: EvictionPolicyDescriptor, admission: AdmissionPolicyDescriptor) {
    name = "\(order.name)\(Self.admissionSeparator)\(admission.name)"
    summary = "\(order.summary.dropLast()); \(Self.continuing(admission.summary))"
    source = "\(order.source); \(admission.source)"
    isBounded = order.isBounded
    needsFuture = order.needsFuture
    let makeOrder = { @Sendable (capacity: Int?, random: RandomSource) in
      admission.guarding(
        order.makeOrder(capacity, random), capacity: capacity,
        random: random.substream("admission"))
    }
    self.makeOrder = makeOrder
    replay = { ids, nextUses, distinct, capacity, random in
      UnitSizeReplay<OrderPolicy>.run(
        ids, nextUses: nextUses, distinct: distinct, capacity: capacity,
        policy: OrderPolicy(makeOrder(capacity, random)))
    }
    replayOperations = { trace, rules, random in
      OperationReplay.run(
        trace, rules: rules, policy: OrderPolicy(makeOrder(rules.capacity.limit, random)))
    }
  }

  /// Replays requests of one size; see ``UnitSizeReplay``.
  ///
  /// A caller that replays one trace at many capacities computes the ``NextUses`` once, if ``needsFuture``,
  /// and passes them; other policies ignore them.
  package func replayUnitSize(
    _ ids: borrowing Span<UInt32>, nextUses: borrowing Span<UInt32>, _ distinct: Int,
    _ capacity: Int, _ random: RandomSource
  ) -> ReplayCounts {
    replay(ids, nextUses, distinct, capacity, random)
  }

  /// Replays requests of one size, and computes next uses if needed.
  package func replayUnitSize(
    _ ids: borrowing Span<UInt32>, _ distinct: Int, _ capacity: Int, _ random: RandomSource
  ) -> ReplayCounts {
    let nextUses = needsFuture ? NextUses.of(ids, distinct: distinct) : []
    return replay(ids, nextUses.span, distinct, capacity, random)
  }
}

/// The registry of eviction policies.
///
/// Adding one takes one file and one line here; the conformance suite, the command line and the documentation
/// read this array.
public enum EvictionPolicies {
  public static let all: [EvictionPolicyDescriptor] = [
    EvictionPolicyDescriptor(LRU.self),
    EvictionPolicyDescriptor(MRU.self),
    EvictionPolicyDescriptor(SLRU.self),
    EvictionPolicyDescriptor(CLOCK.self),
    EvictionPolicyDescriptor(SIEVE.self),

    EvictionPolicyDescriptor(FIFO.self),
    EvictionPolicyDescriptor(S3FIFO<HashedGhosts>.self, replay: S3FIFO<DenseGhosts>.self),
    EvictionPolicyDescriptor(TwoQueue<HashedGhosts>.self, replay: TwoQueue<DenseGhosts>.self),

    EvictionPolicyDescriptor(LFU.self),
    EvictionPolicyDescriptor(LFUAging.self),
    EvictionPolicyDescriptor(WTinyLFU.self),
    EvictionPolicyDescriptor(Hyperbolic.self),

    EvictionPolicyDescriptor(ARC<HashedGhosts>.self, replay: ARC<DenseGhosts>.self),
    EvictionPolicyDescriptor(CAR<HashedGhosts>.self, replay: CAR<DenseGhosts>.self),
    EvictionPolicyDescriptor(LIRS<HashedGhosts>.self, replay: LIRS<DenseGhosts>.self),

    EvictionPolicyDescriptor(GDSF.self),
    EvictionPolicyDescriptor(Size.self),

    EvictionPolicyDescriptor(ExpiringFirst.self),

    EvictionPolicyDescriptor(Clairvoyant.self),
    EvictionPolicyDescriptor(ClairvoyantBypass.self),
    EvictionPolicyDescriptor(Unbounded.self),
    EvictionPolicyDescriptor(Random.self),
  ]

  /// The policies that a cache can use: all except those that look ahead, which need a replay.
  public static let forCaches = all.filter { !$0.needsFuture }

  /// Returns the policy with a registered name, or with a name and an admission: `lru+tinylfu`.
  ///
  /// - Parameter name: the name as a user wrote it.
  /// - Returns: `nil` if there is none with this name, or the two do not compose.
  public static func named(_ name: String) -> EvictionPolicyDescriptor? {
    let parts = name.split(
      separator: EvictionPolicyDescriptor.admissionSeparator, maxSplits: 1,
      omittingEmptySubsequences: false)
    guard let order = all.first(where: { $0.name == parts[0] }) else { return nil }
    guard parts.count == 2 else { return order }
    return AdmissionPolicies.named(String(parts[1])).flatMap { order.admitting(by: $0) }
  }
}
