/// The run of a cache under test has ended early, and why.
package struct CacheFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var scenario: String
  package var cache: String
  package var client: String
  package var seed: UInt64
  package var fault: CacheFault

  package var description: String {
    "\(scenario), cache \(cache), client \(client), seed \(seed): \(fault)"
  }
}
