import NormalizedCache

package struct SearchOutcome: Sendable {
  package var faultCase: FaultCase
  package var divergence: Divergence?
  package var tally = StepTally()
  /// A 64-bit digest of everything that the run did.
  package var digest = Digest()
}

/// The next action of a program, reported in advance, since it may not return.
package enum ProgramMoment: Sendable {
  case step(Step)
  /// The faults end, and all pending work completes.
  case rest
}

package enum FaultSearch {
  /// One in this many seeds is run twice.
  private static let repeatedShare: UInt64 = 16

  /// Generates a program from a seed while running it; runs some a second time, which must give the same
  /// result.
  package static func search(seed: UInt64, steps: Int) -> SearchOutcome {
    search(FaultCase.drawn(seed: seed), steps: steps)
  }

  /// Generates and runs a program for an existing client.
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

  /// Runs an existing program.
  ///
  /// - Returns: the violated property; `nil` if there is none.
  package static func replay(
    _ faultCase: FaultCase, telling tell: (ProgramMoment) -> Void = { _ in }
  ) -> Divergence? {
    run(faultCase, telling: tell).divergence
  }

  /// Returns a 64-bit digest of everything that an existing program does.
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

  /// Runs a program twice, and stops at the first step with different results.
  package static func replayTwice(_ faultCase: FaultCase) -> Divergence? {
    firstDifference(faultCase, faultCase)
  }

  /// Runs two programs of the same length in parallel, up to the first step with different results.
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

/// The number of steps of each kind, and of those with an effect.
package struct StepTally: Codable, Hashable, Sendable {
  package private(set) var taken = [Int](repeating: 0, count: StepKind.allCases.count)
  package private(set) var effective = [Int](repeating: 0, count: StepKind.allCases.count)
  package private(set) var eventsApplied = 0
  package private(set) var reconciles = 0
  package private(set) var evictions = 0
  package private(set) var notifications = 0
  /// The number of answers without changes.
  package private(set) var confirmations = 0

  package init() {}

  package var steps: Int { taken.reduce(0, +) }

  mutating func note(_ kind: StepKind, hadEffect: Bool) {
    guard let index = StepKind.allCases.firstIndex(of: kind) else { return }
    taken[index] += 1
    if hadEffect { effective[index] += 1 }
  }

  mutating func note(_ statistics: CacheStatistics, confirmations: Int) {
    self.confirmations += confirmations
    eventsApplied += statistics.eventsApplied
    reconciles += statistics.reconciles
    evictions += statistics.evictions
    notifications += statistics.notifications
  }

  package static func += (total: inout StepTally, part: StepTally) {
    for index in total.taken.indices {
      total.taken[index] += part.taken[index]
      total.effective[index] += part.effective[index]
    }
    total.eventsApplied += part.eventsApplied
    total.reconciles += part.reconciles
    total.evictions += part.evictions
    total.notifications += part.notifications
    total.confirmations += part.confirmations
  }
}
