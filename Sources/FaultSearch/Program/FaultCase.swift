package import CacheModel
package import NormalizedCache

/// A program with the cache that it is run against: all that a run needs, and nothing to draw.
package struct FaultCase: Hashable, Sendable {
  /// The seed that it was drawn from; also the seed of eviction orders that draw.
  package var seed: UInt64
  package var composition: CachePolicy
  /// When the client writes to its storage; `nil`: it has none.
  package var storage: WriteBehind?
  /// The queries that the app declares; empty: it asks its own.
  package var shapes: [NoteShape]
  package var steps: [Step]
  /// The mistake that the store makes on purpose, in debug builds; not part of a written case.
  package var plantedDefect: PlantedDefect?
  /// The same of how declared shapes are read.
  package var modelSlip: ModelSlip?

  package init(
    seed: UInt64, composition: CachePolicy, storage: WriteBehind? = nil,
    shapes: [NoteShape] = [], steps: [Step] = []
  ) {
    self.seed = seed
    self.composition = composition
    self.storage = storage
    self.shapes = shapes
    self.steps = steps
  }
}

extension FaultCase {
  /// One seed in so many draws an app that declares its queries.
  package static let declaredShare: UInt64 = 4

  /// A client as a seed draws it, without steps.
  package static func drawn(seed: UInt64) -> FaultCase {
    let isDeclared = seed % declaredShare == declaredShare - 1
    var drawn = FaultCase(
      seed: seed, composition: .drawn(seed: seed), storage: .drawn(seed: seed))
    guard isDeclared else { return drawn }
    drawn.shapes = NoteShape.drawn(seed: seed)
    drawn.composition.drawFollowing(seed: seed)
    return drawn
  }

  /// What reads the declared shapes for the cache.
  var model: NoteModel? {
    guard !shapes.isEmpty else { return nil }
    var declaration = NoteDeclaration(shapes)
    modelSlip?.plant(in: &declaration)
    return NoteModel(declaration)
  }
}
