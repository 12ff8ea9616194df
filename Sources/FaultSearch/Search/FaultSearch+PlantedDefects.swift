#if PLANTED_DEFECTS
  import CacheModel
  package import NormalizedCache

  extension FaultSearch {
    /// Searches one seed against a store that makes a mistake on purpose.
    package static func search(
      seed: UInt64, steps: Int, planting defect: PlantedDefect
    ) -> SearchOutcome {
      let start = FaultCase.drawn(seed: seed)
      var run = FaultRun(start)
      run.store.plantedDefect = defect
      return search(start, steps: steps, in: run)
    }

    /// Runs a materialised program against such a store.
    package static func replay(
      _ faultCase: FaultCase, planting defect: PlantedDefect
    ) -> Divergence? {
      var run = FaultRun(faultCase)
      run.store.plantedDefect = defect
      for step in faultCase.steps { run.take(step) }
      run.finish()
      return run.divergence
    }
  }
#endif
