/// The run of a cache under test has ended early, and why.
package struct CacheFailure: Error, Sendable, CustomStringConvertible {
  package var scenario: String
  package var cache: String
  package var client: String
  package var seed: UInt64
  package var fault: CacheFault
  /// What the process was told that broke the rule; `nil` before its first turn.
  package var told: FaultReplay?

  package var description: String {
    "\(scenario), cache \(cache), client \(client), seed \(seed): \(fault)"
  }
}
