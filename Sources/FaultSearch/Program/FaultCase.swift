package import CacheModel
package import NormalizedCache

/// A program with the cache that it is run against: all that a run needs, and nothing to draw.
package struct FaultCase: Hashable, Sendable {
  /// The seed that it was drawn from; also the seed of eviction orders that draw.
  package var seed: UInt64
  package var composition: PolicyComposition
  /// When the client writes to its storage; `nil`: it has none.
  package var storage: WriteBehind?
  package var steps: [Step]
  #if PLANTED_DEFECTS
    /// The mistake that the store makes on purpose; not part of a written case.
    package var plantedDefect: PlantedDefect?
  #endif

  package init(
    seed: UInt64, composition: PolicyComposition, storage: WriteBehind? = nil, steps: [Step] = []
  ) {
    self.seed = seed
    self.composition = composition
    self.storage = storage
    self.steps = steps
  }
}

extension FaultCase {
  /// A client as a seed draws it, without steps.
  package static func drawn(seed: UInt64) -> FaultCase {
    FaultCase(seed: seed, composition: .drawn(seed: seed), storage: .drawn(seed: seed))
  }
}
