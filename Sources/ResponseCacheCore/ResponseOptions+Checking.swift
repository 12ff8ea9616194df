import EvictionPolicies

extension ResponseOptions {
  /// The eviction order that the options name.
  ///
  /// - Throws: an error about the first setting that cannot be.
  func checked() throws(ResponseOptionsError) -> EvictionPolicyDescriptor {
    guard let order = EvictionPolicies.named(evictionOrder), !order.needsFuture, order.isBounded
    else {
      let known = EvictionPolicies.forCaches.filter(\.isBounded).map(\.name)
      throw ResponseOptionsError(
        "evictionOrder: no cache can evict by \"\(evictionOrder.prefix(64))\"; one of "
          + known.joined(separator: ", "))
    }
    try Self.check("maximumEntries", maximumEntries)
    try Self.check("memoryEntries", memoryEntries)
    try Self.check("memoryBytes", memoryBytes ?? 0)
    try Self.check("diskBytes", diskBytes ?? 0)
    try Self.check("maximumBodyBytes", maximumBodyBytes)
    try Self.check("flushInterval", flushInterval)
    try Self.check("sweepInterval", sweepInterval)
    return order
  }

  private static func check(_ name: String, _ number: Int) throws(ResponseOptionsError) {
    guard number < 0 else { return }
    throw ResponseOptionsError("\(name): \(number) is too small; at least 0")
  }

  /// An interval of no length would have the shell do the same again and again.
  private static func check(_ name: String, _ interval: Duration?) throws(ResponseOptionsError) {
    guard let interval, interval < .milliseconds(1) else { return }
    throw ResponseOptionsError("\(name): \(interval) is too short; at least a millisecond")
  }
}
