/// One seed's program and what came of it.
package struct SearchOutcome: Sendable {
  package var faultCase: FaultCase
  package var divergence: Divergence?
  package var tally = StepTally()
  /// Everything that the run did, in 64 bits.
  package var digest = Digest()
}

/// What a program is about to do: told before, since what it does may not return.
package enum ProgramMoment: Sendable {
  case step(Step)
  /// The faults end, and all comes to rest.
  case rest
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
    search(FaultCase.drawn(seed: seed), steps: steps)
  }

  /// The same from a client that was drawn before.
  ///
  /// - Parameters:
  ///   - start: a case without steps.
  ///   - steps: the most steps, besides what the servers have at first.
  ///   - tell: is called before each thing that the program does.
  /// - Returns: the program, what it broke, and what its steps did.
  package static func search(
    _ start: FaultCase, steps: Int, telling tell: (ProgramMoment) -> Void = { _ in }
  ) -> SearchOutcome {
    var outcome = SearchOutcome(faultCase: start)
    var run = FaultRun(start)
    var generator = StepGenerator(seed: start.seed, declared: start.shapes)
    for step in generator.opening() {
      outcome.faultCase.steps.append(step)
      tell(.step(step))
      run.take(step)
    }
    for _ in 0..<steps where run.divergence == nil {
      let step = generator.next(run)
      outcome.faultCase.steps.append(step)
      tell(.step(step))
      outcome.tally.note(step.kind, hadEffect: run.take(step))
    }
    tell(.rest)
    run.finish()
    outcome.divergence = run.divergence
    outcome.tally.note(run.statistics, confirmations: run.confirmations)
    outcome.digest = run.digest
    if outcome.divergence == nil, start.seed.isMultiple(of: repeatedShare) {
      outcome.divergence = replayTwice(outcome.faultCase)
    }
    return outcome
  }

  /// Runs a materialised program.
  ///
  /// - Parameters:
  ///   - faultCase: the program.
  ///   - tell: is called before each thing that it does.
  /// - Returns: what it broke; `nil`: nothing.
  package static func replay(
    _ faultCase: FaultCase, telling tell: (ProgramMoment) -> Void = { _ in }
  ) -> Divergence? {
    run(faultCase, telling: tell).divergence
  }

  /// Everything that a materialised program does, in 64 bits.
  package static func digest(of faultCase: FaultCase) -> Digest {
    run(faultCase).digest
  }

  private static func run(
    _ faultCase: FaultCase, telling tell: (ProgramMoment) -> Void = { _ in }
  ) -> FaultRun {
    var run = FaultRun(faultCase)
    for step in faultCase.steps {
      tell(.step(step))
      run.take(step)
    }
    tell(.rest)
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
