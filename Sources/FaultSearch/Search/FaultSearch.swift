package import CacheModel

/// One seed's program and what came of it.
package struct SearchOutcome: Sendable {
  package var faultCase: FaultCase
  package var divergence: Divergence?
  package var tally = StepTally()
}

/// Looks for programs that break a promise.
package enum FaultSearch {
  /// Draws a program from a seed while it runs it.
  ///
  /// - Parameters:
  ///   - seed: draws the composition, the weights and every step.
  ///   - steps: the most steps, besides what the servers have at first.
  /// - Returns: the program, what it broke, and what its steps did.
  package static func search(seed: UInt64, steps: Int) -> SearchOutcome {
    search(seed: seed, steps: steps, composition: .drawn(seed: seed))
  }

  /// The same against a composition of the caller's.
  package static func search(
    seed: UInt64, steps: Int, composition: PolicyComposition
  ) -> SearchOutcome {
    search(seed: seed, steps: steps, in: FaultRun(sound: composition, seed: seed))
  }

  static func search(seed: UInt64, steps: Int, in start: consuming FaultRun) -> SearchOutcome {
    var run = start
    var outcome = SearchOutcome(
      faultCase: FaultCase(seed: seed, composition: run.composition, steps: []))
    var generator = StepGenerator(seed: seed)
    for step in generator.opening() {
      outcome.faultCase.steps.append(step)
      run.take(step)
    }
    for _ in 0..<steps where run.divergence == nil {
      let step = generator.next(run)
      outcome.faultCase.steps.append(step)
      outcome.tally.note(step.kind, hadEffect: run.take(step))
    }
    run.finish()
    outcome.divergence = run.divergence
    outcome.tally.note(run.statistics)
    return outcome
  }

  /// Runs a materialised program.
  package static func replay(_ faultCase: FaultCase) -> Divergence? {
    var run = FaultRun(sound: faultCase.composition, seed: faultCase.seed)
    for step in faultCase.steps { run.take(step) }
    run.finish()
    return run.divergence
  }

  /// Runs a program twice, and stops at the first step after which the two differ.
  package static func replayTwice(_ faultCase: FaultCase) -> Divergence? {
    var first = FaultRun(sound: faultCase.composition, seed: faultCase.seed)
    var second = FaultRun(sound: faultCase.composition, seed: faultCase.seed)
    for (index, step) in faultCase.steps.enumerated() {
      first.take(step)
      second.take(step)
      if first.digest != second.digest { return difference(first, second, index, "\(step.kind)") }
    }
    first.finish()
    second.finish()
    return first.digest == second.digest
      ? nil : difference(first, second, faultCase.steps.count, "the end")
  }

  private static func difference(
    _ first: borrowing FaultRun, _ second: borrowing FaultRun, _ step: Int, _ subject: String
  ) -> Divergence {
    Divergence(
      .repeatsItself, step: step, subject: subject,
      expected: "digest \(first.digest.value), \(first.statistics)",
      found: "digest \(second.digest.value), \(second.statistics)")
  }
}
