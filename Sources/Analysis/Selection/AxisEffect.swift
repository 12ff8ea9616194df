/// What one choice of a cache is worth in a scenario: fresh reads with it, less those of `lru`, seed by
/// seed.
package struct AxisEffect: Hashable, Sendable {
  package let scenario: String
  /// The choice, such as `time to live 60 s`.
  package let change: String
  /// Of the share of fresh reads; `nil` where it was not measured.
  package let difference: PairedInterval?

  package init(scenario: String, change: String, difference: PairedInterval?) {
    self.scenario = scenario
    self.change = change
    self.difference = difference
  }
}
