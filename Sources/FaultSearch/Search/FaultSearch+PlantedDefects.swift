#if PLANTED_DEFECTS
  import CacheModel
  package import NormalizedCache

  extension FaultSearch {
    /// Searches one seed against a store that makes a mistake on purpose.
    package static func search(
      seed: UInt64, steps: Int, planting defect: PlantedDefect
    ) -> SearchOutcome {
      var run = FaultRun(sound: .drawn(seed: seed), seed: seed)
      run.store.plantedDefect = defect
      return search(seed: seed, steps: steps, in: run)
    }

    /// Runs a materialised program against such a store.
    package static func replay(
      _ faultCase: FaultCase, planting defect: PlantedDefect
    ) -> Divergence? {
      var run = FaultRun(sound: faultCase.composition, seed: faultCase.seed)
      run.store.plantedDefect = defect
      for step in faultCase.steps { run.take(step) }
      run.finish()
      return run.divergence
    }
  }
#endif
