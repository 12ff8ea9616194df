package import NormalizedCache

extension FaultSearch {
  /// Searches one seed against a store that makes a mistake on purpose.
  ///
  /// - Returns: what came of it; the case is one of the sound store.
  package static func search(
    seed: UInt64, steps: Int, planting defect: PlantedDefect
  ) -> SearchOutcome {
    var start = FaultCase.drawn(seed: seed)
    start.plantedDefect = defect
    var outcome = search(start, steps: steps)
    outcome.faultCase.plantedDefect = nil
    return outcome
  }

  /// The same of a mistake in how declared shapes are read.
  package static func search(
    seed: UInt64, steps: Int, planting slip: ModelSlip
  ) -> SearchOutcome {
    var start = FaultCase.drawn(seed: seed)
    start.modelSlip = slip
    var outcome = search(start, steps: steps)
    outcome.faultCase.modelSlip = nil
    return outcome
  }

  /// Runs a materialised program with such a mistake.
  package static func replay(_ faultCase: FaultCase, planting slip: ModelSlip) -> Divergence? {
    var planted = faultCase
    planted.modelSlip = slip
    return replay(planted)
  }

  /// Runs a materialised program against such a store.
  package static func replay(
    _ faultCase: FaultCase, planting defect: PlantedDefect
  ) -> Divergence? {
    var planted = faultCase
    planted.plantedDefect = defect
    return replay(planted)
  }
}
