import EvictionPolicies

extension TwoTierOptions {
  /// The eviction order that the options name.
  ///
  /// - Throws: an error about the first setting that cannot be.
  func checked() throws(TwoTierOptionsError) -> EvictionPolicyDescriptor {
    guard let order = EvictionPolicies.named(evictionOrder), !order.needsFuture else {
      let known = EvictionPolicies.forCaches.map(\.name).joined(separator: ", ")
      throw TwoTierOptionsError(
        "evictionOrder: no cache can evict by \"\(evictionOrder.prefix(64))\"; one of \(known)")
    }
    let limit =
      switch memoryLimit {
      case .entries(let entries): entries
      case .bytes(let bytes): bytes
      }
    try Self.check("memoryLimit", limit, atLeast: 0)
    try Self.check("cleanUpWrites", cleanUpWrites, atLeast: 1)
    try Self.check("diskBytes", diskBytes, atLeast: 0)
    try Self.check("maximumValueBytes", maximumValueBytes, atLeast: 0)
    try Self.check("maximumPendingWrites", maximumPendingWrites, atLeast: 1)
    try Self.check("memoryLifetime", memoryLifetime)
    try Self.check("age", age)
    try Self.check("cleanUpInterval", cleanUpInterval)
    try Self.check("diskRetryInterval", diskRetryInterval)
    return order
  }

  private static func check(
    _ name: String, _ number: Int?, atLeast minimum: Int
  ) throws(TwoTierOptionsError) {
    guard let number, number < minimum else { return }
    throw TwoTierOptionsError("\(name): \(number) is too small; at least \(minimum)")
  }

  private static func check(_ name: String, _ duration: Duration?) throws(TwoTierOptionsError) {
    guard let duration, duration < .zero else { return }
    throw TwoTierOptionsError("\(name): \(duration) is negative; at least zero")
  }
}
