/// What a found setting is worth against its rivals, on what the search never looked at.
package struct Judgement: Hashable, Sendable {
  /// One rival and how far the found one is ahead of it.
  package struct Lead: Hashable, Sendable {
    package let rival: String
    /// Positive is better, whichever the direction; `nil` where one of the two lacks a figure.
    package let interval: PairedInterval?
    /// The constraints that the rival breaks: what needs more than it was given is no rival.
    package let broken: [ConstraintJudgement]
  }

  package let found: String
  package let mean: MeanInterval?
  package let leads: [Lead]
  /// The constraints that the found one does not keep beyond doubt.
  package let broken: [ConstraintJudgement]

  /// The level at which all leads hold together in 95 of 100 judgements at least.
  package static func level(rivals: Int) -> Double { 1 - 0.05 / Double(max(rivals, 1)) }

  /// - Precondition: all samples are of the same seeds.
  package init(of found: ObservedSample, against rivals: [ObservedSample], by rule: Goal) {
    self.found = found.contender
    let level = Self.level(rivals: rivals.count)
    let own = found.complete(rule.objective)
    mean = own.flatMap { MeanInterval(of: $0) }
    leads = rivals.map { rival in
      let theirs = rival.complete(rule.objective)
      let interval = own.flatMap { own in
        theirs.flatMap { theirs in
          rule.direction == .maximise
            ? PairedInterval(of: own, less: theirs, level: level)
            : PairedInterval(of: theirs, less: own, level: level)
        }
      }
      return Lead(
        rival: rival.contender, interval: interval,
        broken: Self.judgements(of: rival, rule).filter { $0.outcome == .fails })
    }
    broken = Self.judgements(of: found, rule).filter { $0.outcome != .holds }
  }

  private static func judgements(
    of sample: ObservedSample, _ rule: Goal
  ) -> [ConstraintJudgement] {
    rule.constraints.compactMap { constraint in
      sample.complete(constraint.figure).flatMap {
        ConstraintJudgement(constraint, values: $0)
      }
    }
  }

  /// Whether it keeps every constraint, and is ahead of every rival beyond doubt.
  package var isBetter: Bool {
    broken.isEmpty && !leads.isEmpty && leads.allSatisfy { ($0.interval?.low ?? 0) > 0 }
  }
}
