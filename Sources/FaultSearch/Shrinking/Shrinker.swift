import CacheSimulation

/// Makes a failing case small: fewer steps, a plainer composition, simpler values.
///
/// Every candidate is run, and kept if it still breaks the same promise; steps that lost what they
/// name are skipped, so every candidate is a program.
package struct Shrinker {
  /// The smallest case so far.
  package private(set) var smallest: FaultCase
  package private(set) var divergence: Divergence
  /// How many candidates may still be run.
  private var attempts: Int
  private let run: (FaultCase) -> Divergence?

  /// - Parameters:
  ///   - faultCase: a case that fails.
  ///   - divergence: how it fails.
  ///   - attempts: the most candidates to run.
  ///   - run: runs a candidate.
  package init(
    _ faultCase: FaultCase, _ divergence: Divergence, attempts: Int = 10_000,
    run: @escaping (FaultCase) -> Divergence? = { FaultSearch.replay($0) }
  ) {
    smallest = faultCase
    self.divergence = divergence
    self.attempts = attempts
    self.run = run
  }

  /// Shrinks until nothing gets smaller, or no attempt is left.
  package mutating func shrink() {
    var before: FaultCase
    repeat {
      before = smallest
      removeSteps()
      simplifyComposition()
      simplifySteps()
    } while smallest != before && attempts > 0
  }

  /// Keeps a candidate that fails in the same way; returns whether it does.
  private mutating func keep(_ candidate: FaultCase) -> Bool {
    guard attempts > 0, candidate != smallest else { return false }
    attempts -= 1
    guard let found = run(candidate), found.promise == divergence.promise else { return false }
    smallest = candidate
    divergence = found
    return true
  }

  /// Removes what comes after the failure, then what it does not need.
  private mutating func removeSteps() {
    if divergence.step + 1 < smallest.steps.count {
      var candidate = smallest
      candidate.steps.removeSubrange((divergence.step + 1)...)
      _ = keep(candidate)
    }
    let whole = smallest
    var reduction = StepReduction(trials: attempts)
    _ = reduction.reduce(whole.steps.count) { places in
      var candidate = whole
      candidate.steps = places.map { whole.steps[$0] }
      return keep(candidate)
    }
  }

  private mutating func simplifyComposition() {
    var withoutStorage = smallest
    withoutStorage.storage = nil
    _ = keep(withoutStorage)
    for simplification in Simplification.ofCompositions {
      var candidate = smallest
      simplification(&candidate.composition)
      _ = keep(candidate)
    }
    for index in smallest.shapes.indices {
      for simplification in Simplification.ofShapes {
        var candidate = smallest
        simplification(&candidate.shapes[index])
        _ = keep(candidate)
      }
    }
  }

  private mutating func simplifySteps() {
    for index in smallest.steps.indices {
      var rest = Simplification.simpler(smallest.steps[index])[...]
      while let step = rest.popFirst() {
        var candidate = smallest
        candidate.steps[index] = step
        if keep(candidate) { rest = Simplification.simpler(step)[...] }
      }
    }
  }
}
