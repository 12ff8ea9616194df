/// The run of a cache under test has ended early, and why.
public struct CacheFailure: Error, Sendable, CustomStringConvertible {
  public var scenario: String
  public var cache: String
  public var client: String
  public var seed: UInt64
  public var fault: CacheFault
  /// What the process was told that broke the rule, where that was recorded.
  package var told: FaultReplay?

  /// One line: scenario, cache, client, seed, then what the fault says.
  public var description: String {
    "\(scenario), cache \(cache), client \(client), seed \(seed): \(fault)"
  }
}
