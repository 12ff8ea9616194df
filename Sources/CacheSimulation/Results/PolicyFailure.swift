package import CacheModel
package import EvictionPolicies

/// The run of a policy that was given as a value has ended early, and why.
package struct PolicyFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var scenario: String
  package var policy: String
  package var client: String
  package var seed: UInt64
  /// How many steps the client's simulation had taken, and when.
  package var step: Int
  package var at: Instant
  package var fault: PolicyFault

  package var description: String {
    "\(scenario), policy \(policy), client \(client), seed \(seed), step \(step), "
      + "\(at.nanoseconds) ns: \(fault)"
  }
}
