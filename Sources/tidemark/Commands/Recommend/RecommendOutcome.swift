import Analysis
import ResultModel

/// What a search for a recommendation came to, with all that its text says.
struct RecommendOutcome: Sendable {
  let input: SimulationInput
  /// What is read in the recordings of an app; `nil` of anything else.
  let reads: RecordedReads?
  let rule: Goal
  /// How many settings were tried, and of which policies.
  let tried: Int
  let policies: [String]
  let seedsOfSearch: Int
  let chosen: Choice
  let curve: Curve
  let elsewhere: [Elsewhere]
  let judged: Judged
  let client: ClientKnobs?

  /// What the answer is: what was chosen, or what it is compared with if the change is not worth its words.
  var answer: Proposal { judged.isWorthIt ? chosen.proposal : judged.reference }

  /// Who was chosen among the best of each policy.
  struct Choice: Sendable {
    var proposal: Proposal
    let verdict: ShipVerdict
    /// What both ends say of the recording of an app.
    var recorded: RecordedVerdict?
    /// The mean of its peak memory, in bytes; `nil` where that is not known.
    let peak: Double?
  }

  /// The objective over memory.
  struct Curve: Sendable {
    struct Point: Hashable, Sendable {
      /// In bytes.
      let memory: Int
      let value: Double
    }

    /// The least memory first.
    let points: [Point]
    /// Without a limit.
    var unlimited: Double?
    /// The least of ``points`` that is nearly as good as no limit; `nil` where none is.
    var knee: Int?
    /// Whether more than is allowed now, or than the limits of the scenario allow, would be better.
    var wouldMoreHelp = false
    /// The least that gives away too little to choose by; `nil` where there is no curve.
    var limit: Int?
  }

  /// What would be chosen elsewhere.
  struct Elsewhere: Sendable {
    enum Answer: Hashable, Sendable {
      case same
      case other([String])
      case open
    }

    let label: String
    let answer: Answer
  }
}

extension RecommendOutcome {
  /// The choice and what it is compared with, on seeds that nothing was chosen by.
  struct Judged: Sendable {
    let reference: Proposal
    let replicate: Replicate
    let own: ObservedSample
    /// `nil` where the choice is the reference.
    let theirs: ObservedSample?
    /// Whether the reference is what the app does today.
    let isNow: Bool
    /// Whether memory counts: what a client takes in its own runtime is not predicted.
    let weighsMemory: Bool
    /// What `--memory` allows, in bytes.
    let memoryAllowed: Int?
    /// By what it is judged; of the recordings of an app at both ends of what they leave open.
    let rules: [Goal]

    var count: Int { own.seedCount }
    private var hasInterval: Bool { count >= replicate.fewestForInterval }
    var objective: Figure { rules[0].objective }

    /// How many reads one seed, or user, has: one of them is this part of a share.
    static func reads(in rule: Goal) -> Figure {
      Figure(Metric.reads.name, unit: .count, class: rule.objective.class, terms: [.init(.reads)])
    }

    /// A share that is one read of all that were judged; 0 where that is not known.
    var oneRead: Double {
      let reads = own.complete(Self.reads(in: rules[0]))?.reduce(0, +) ?? 0
      return reads > 0 ? 1 / reads : 0
    }

    /// A difference, with what stands behind ± where enough tell of it.
    struct Difference: Hashable, Sendable {
      let mean: Double
      let halfWidth: Double?
      var low: Double { mean - (halfWidth ?? 0) }
      var high: Double { mean + (halfWidth ?? 0) }
    }

    /// By how much the choice is better than the reference, at each end; empty where there is no reference, or a
    /// figure is missing.
    var leads: [Difference] {
      rules.compactMap { rule in
        let sign: Double = rule.direction == .maximise ? 1 : -1
        return difference(rule.objective, sign: sign)
      }
    }

    /// The choice's figure less the reference's.
    func difference(_ figure: Figure, sign: Double = 1) -> Difference? {
      guard let values = own.complete(figure), let others = theirs?.complete(figure),
        !values.isEmpty, values.count == others.count
      else { return nil }
      let differences = zip(values, others).map { sign * ($0 - $1) }
      return Difference(
        mean: differences.reduce(0, +) / Double(count),
        halfWidth: hasInterval ? MeanInterval(of: differences)?.halfWidth : nil)
    }

    /// A mean with what stands behind ± where enough tell of it.
    func mean(_ figure: Figure, of sample: ObservedSample) -> Difference? {
      guard let values = sample.complete(figure), !values.isEmpty else { return nil }
      return Difference(
        mean: values.reduce(0, +) / Double(values.count),
        halfWidth: hasInterval ? MeanInterval(of: values)?.halfWidth : nil)
    }

    /// Whether the choice is worth a change: it is better by more than chance, by more than half of what is too
    /// little to choose by, and by more than one read; or it keeps a limit or a memory that the reference breaks; or
    /// it is no worse in a tenth less memory.
    var isWorthIt: Bool {
      guard let theirs else { return true }
      guard leads.count == rules.count else { return true }
      if breaks(theirs) != breaks(own) { return breaks(theirs) }
      if let memoryAllowed, let peak = mean(.peakMemory, of: theirs),
        peak.mean > Double(memoryAllowed)
      {
        return true
      }
      let best = mean(objective, of: own)?.mean ?? 0
      let least = max(rules[0].zone.width(best: best) / 2, objective.unit == .ratio ? oneRead : 0)
      if leads.allSatisfy({ $0.low > 0 && $0.mean > least }) { return true }
      guard weighsMemory, leads.allSatisfy({ $0.mean > -least }),
        let memory = difference(.peakMemory)?.mean, let all = mean(.peakMemory, of: theirs)?.mean
      else { return false }
      return -memory >= all / 10
    }

    /// Whether a limit is broken in the mean, or of every seed in one.
    func breaks(_ sample: ObservedSample) -> Bool {
      rules[0].constraints.contains { constraint in
        guard let values = sample.complete(constraint.figure) else { return false }
        return ConstraintJudgement(constraint, values: values)
          .map { !constraint.isKept(by: $0.value) } ?? false
      }
    }
  }
}
