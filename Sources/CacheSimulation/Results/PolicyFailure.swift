public import CacheModel
public import EvictionPolicies

/// The run of a policy that was given as a value has ended early, and why.
public struct PolicyFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var scenario: String
  public var policy: String
  public var client: String
  public var seed: UInt64
  /// How many steps the client's simulation had taken, and when.
  public var step: Int
  public var at: Instant
  public var fault: PolicyFault

  /// One line: scenario, policy, client, seed, place, then what the fault says.
  public var description: String {
    "\(scenario), policy \(policy), client \(client), seed \(seed), step \(step), "
      + "\(at.nanoseconds) ns: \(fault)"
  }
}
