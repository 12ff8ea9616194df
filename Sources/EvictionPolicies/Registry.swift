public import CacheModel

/// A policy as the rest of the house sees it: what to call it and how to make one.
public struct EvictionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
  /// Whether a cache keeps to its capacity under it; the driver and the cache ask.
  public let isBounded: Bool
  /// Makes an empty order for a cache of the given number of entities (`nil`: no limit).
  public let makeOrder: @Sendable (_ capacity: Int?, _ random: RandomSource) -> any EvictionOrder

  /// Replays requests of one size; see ``UnitSizeReplay``.
  ///
  /// A closure over the concrete policy, so that the whole loop is compiled for it and no call in
  /// it is dynamic.
  package let replayUnitSize:
    @Sendable (
      _ ids: borrowing Span<UInt32>, _ distinct: Int, _ capacity: Int, _ random: RandomSource
    ) -> ReplayCounts

  public init<Policy: EvictionPolicy & ~Copyable & SendableMetatype>(_ policy: Policy.Type) {
    name = Policy.name
    summary = Policy.summary
    source = Policy.source
    isBounded = Policy.isBounded
    makeOrder = { PolicyOrder<Policy>(capacity: $0, random: $1) }
    replayUnitSize = { ids, distinct, capacity, random in
      UnitSizeReplay<Policy>.run(
        ids, distinct: distinct, capacity: Policy.isBounded ? capacity : max(distinct, 1),
        random: random)
    }
  }
}

/// Every eviction policy.
///
/// Adding one is one file and one line here; the conformance suite, the command line and the
/// documentation read this array.
public enum EvictionPolicies {
  public static let all: [EvictionPolicyDescriptor] = [
    EvictionPolicyDescriptor(LRU.self),
    EvictionPolicyDescriptor(FIFO.self),
    EvictionPolicyDescriptor(CLOCK.self),
    EvictionPolicyDescriptor(SIEVE.self),
    EvictionPolicyDescriptor(Random.self),
    EvictionPolicyDescriptor(MRU.self),
    EvictionPolicyDescriptor(SLRU.self),
    EvictionPolicyDescriptor(WTinyLFU.self),
    EvictionPolicyDescriptor(Hyperbolic.self),
    EvictionPolicyDescriptor(GDSF.self),
    EvictionPolicyDescriptor(Size.self),
    EvictionPolicyDescriptor(ExpiringFirst.self),
    EvictionPolicyDescriptor(Unbounded.self),
  ]

  public static func named(_ name: String) -> EvictionPolicyDescriptor? {
    all.first { $0.name == name }
  }
}
