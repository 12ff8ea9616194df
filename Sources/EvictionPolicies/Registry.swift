public import CacheModel

/// A policy as the rest of the house sees it: what to call it and how to make one.
public struct EvictionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
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
    makeOrder = { PolicyOrder<Policy>(capacity: $0, random: $1) }
    replayUnitSize = { ids, distinct, capacity, random in
      UnitSizeReplay<Policy>.run(ids, distinct: distinct, capacity: capacity, random: random)
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
  ]

  public static func named(_ name: String) -> EvictionPolicyDescriptor? {
    all.first { $0.name == name }
  }
}
