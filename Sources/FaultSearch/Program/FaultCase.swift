package import CacheModel

/// A program with the cache that it is run against: all that a run needs, and nothing to draw.
package struct FaultCase: Hashable, Sendable {
  /// The seed that it was drawn from; also the seed of eviction orders that draw.
  package var seed: UInt64
  package var composition: PolicyComposition
  package var steps: [Step]

  package init(seed: UInt64, composition: PolicyComposition, steps: [Step]) {
    self.seed = seed
    self.composition = composition
    self.steps = steps
  }
}
