import CacheModel

/// One seed's program and what came of it.
package struct SearchOutcome: Sendable {
  package var faultCase: FaultCase
  package var divergence: Divergence?
  package var tally = StepTally()
  /// Everything that the run did, in 64 bits.
  package var digest = Digest()
}

/// Looks for programs that break a promise.
package enum FaultSearch {
  /// One seed in so many is run twice.
  private static let repeatedShare: UInt64 = 16

  /// Draws a program from a seed while it runs it; runs some a second time, which must do the same.
  ///
  /// - Parameters:
  ///   - seed: draws the composition, the weights and every step.
  ///   - steps: the most steps, besides what the servers have at first.
  /// - Returns: the program, what it broke, and what its steps did.
  package static func search(seed: UInt64, steps: Int) -> SearchOutcome {
    let start = FaultCase.drawn(seed: seed)
    var outcome = search(start, steps: steps, in: FaultRun(start))
    if outcome.divergence == nil, seed.isMultiple(of: repeatedShare) {
      outcome.divergence = replayTwice(outcome.faultCase)
    }
    return outcome
  }

  static func search(
    _ start: FaultCase, steps: Int, in beginning: consuming FaultRun
  ) -> SearchOutcome {
    var run = beginning
    var outcome = SearchOutcome(faultCase: start)
    var generator = StepGenerator(seed: start.seed)
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
    outcome.tally.note(run.statistics, confirmations: run.confirmations)
    outcome.digest = run.digest
    return outcome
  }

  /// Runs a materialised program.
  package static func replay(_ faultCase: FaultCase) -> Divergence? {
    run(faultCase).divergence
  }

  /// Everything that a materialised program does, in 64 bits.
  package static func digest(of faultCase: FaultCase) -> Digest {
    run(faultCase).digest
  }

  private static func run(_ faultCase: FaultCase) -> FaultRun {
    var run = FaultRun(faultCase)
    for step in faultCase.steps { run.take(step) }
    run.finish()
    return run
  }

  /// Runs a program twice, and stops at the first step after which the two differ.
  package static func replayTwice(_ faultCase: FaultCase) -> Divergence? {
    firstDifference(faultCase, faultCase)
  }

  /// Runs two programs of the same length side by side, up to the first step that does different
  /// things.
  package static func firstDifference(_ one: FaultCase, _ other: FaultCase) -> Divergence? {
    var first = FaultRun(one)
    var second = FaultRun(other)
    for (index, steps) in zip(one.steps, other.steps).enumerated() {
      first.take(steps.0)
      second.take(steps.1)
      if first.digest != second.digest {
        return difference(first, second, index, "\(steps.0.kind)")
      }
    }
    first.finish()
    second.finish()
    return first.digest == second.digest
      ? nil : difference(first, second, one.steps.count, "the end")
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
