public import CacheModel

/// A policy as the rest of the house sees it: what to call it and how to make one.
public struct EvictionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
  /// Makes an empty order for a cache of the given number of entities (`nil`: no limit).
  public let makeOrder: @Sendable (_ capacity: Int?, _ random: RandomSource) -> any EvictionOrder

  init<Policy: EvictionPolicy & ~Copyable & SendableMetatype>(_ policy: Policy.Type) {
    name = Policy.name
    summary = Policy.summary
    source = Policy.source
    makeOrder = { PolicyOrder<Policy>(capacity: $0, random: $1) }
  }
}

/// Every eviction policy. Adding one is one file and one line here; the conformance suite, the
/// command line and the documentation read this array.
public enum EvictionPolicies {
  public static let all: [EvictionPolicyDescriptor] = [
    EvictionPolicyDescriptor(LRU.self),
  ]

  public static func named(_ name: String) -> EvictionPolicyDescriptor? {
    all.first { $0.name == name }
  }
}
