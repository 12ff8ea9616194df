import Analysis
import ResultModel

/// The result of a search for a recommendation, with all data for its text.
struct RecommendOutcome: Sendable {
  let input: SimulationInput
  /// The reads in an app's recordings; `nil` for anything else.
  let reads: RecordedReads?
  let rule: Goal
  /// The number of settings tried, and their policies.
  let tried: Int
  let policies: [String]
  let seedsOfSearch: Int
  let chosen: Choice
  let curve: Curve
  let elsewhere: [Elsewhere]
  let judged: Judged
  let client: ClientKnobs?

  /// The answer: the choice, or the reference if the change is not worthwhile.
  var answer: Proposal { judged.isWorthIt ? chosen.proposal : judged.reference }

  /// The choice among the best settings of each policy.
  struct Choice: Sendable {
    var proposal: Proposal
    let verdict: ShipVerdict
    /// The verdict in both cases of a recording's unknown hits.
    var recorded: RecordedVerdict?
    /// The mean of its peak memory, in bytes; `nil` if unknown.
    let peak: Double?
  }

  /// The objective over memory.
  struct Curve: Sendable {
    struct Point: Hashable, Sendable {
      /// The memory limit in bytes.
      let memory: Int
      let value: Double
    }

    /// The points in ascending order of memory.
    let points: [Point]
    /// The objective without a limit.
    var unlimited: Double?
    /// The smallest of ``points`` that is nearly as good as no limit; `nil` if none is.
    var knee: Int?
    /// Whether more memory than allowed, or than the scenario's limits allow, would be better.
    var wouldMoreHelp = false
    /// The smallest memory without a relevant loss; `nil` without a curve.
    var limit: Int?
  }

  /// The choice under a varied condition.
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
  /// The choice and its reference, judged on seeds that were not used to choose.
  struct Judged: Sendable {
    let reference: Proposal
    let replicate: Replicate
    let own: ObservedSample
    /// `nil` if the choice is the reference.
    let theirs: ObservedSample?
    /// Whether the reference is the app's current policy.
    let isNow: Bool
    /// Whether memory counts: that of a client in its own runtime is not predicted.
    let weighsMemory: Bool
    /// The limit of `--memory`, in bytes.
    let memoryAllowed: Int?
    /// The goals for judging; for an app's recordings, both cases of their unknown hits.
    let rules: [Goal]

    var count: Int { own.seedCount }
    private var hasInterval: Bool { count >= replicate.fewestForInterval }
    var objective: Figure { rules[0].objective }

    /// Returns the metric for the number of reads of a seed or user, the denominator of shares.
    static func reads(in rule: Goal) -> Figure {
      Figure(Metric.reads.name, unit: .count, class: rule.objective.class, terms: [.init(.reads)])
    }

    /// The share of one read among all judged ones; 0 if unknown.
    var oneRead: Double {
      let reads = own.complete(Self.reads(in: rules[0]))?.reduce(0, +) ?? 0
      return reads > 0 ? 1 / reads : 0
    }

    /// A difference, with its half-width if there are enough replicates.
    struct Difference: Hashable, Sendable {
      let mean: Double
      let halfWidth: Double?
      var low: Double { mean - (halfWidth ?? 0) }
      var high: Double { mean + (halfWidth ?? 0) }
    }

    /// How much better the choice is than the reference, in each case; empty without a reference, or if a
    /// figure is missing.
    var leads: [Difference] {
      rules.compactMap { rule in
        let sign: Double = rule.direction == .maximise ? 1 : -1
        return difference(rule.objective, sign: sign)
      }
    }

    /// Returns the choice's figure minus the reference's.
    func difference(_ figure: Figure, sign: Double = 1) -> Difference? {
      guard let values = own.complete(figure), let others = theirs?.complete(figure),
        !values.isEmpty, values.count == others.count
      else { return nil }
      let differences = zip(values, others).map { sign * ($0 - $1) }
      return Difference(
        mean: differences.reduce(0, +) / Double(count),
        halfWidth: hasInterval ? MeanInterval(of: differences)?.halfWidth : nil)
    }

    /// Returns a mean with its half-width if there are enough replicates.
    func mean(_ figure: Figure, of sample: ObservedSample) -> Difference? {
      guard let values = sample.complete(figure), !values.isEmpty else { return nil }
      return Difference(
        mean: values.reduce(0, +) / Double(values.count),
        halfWidth: hasInterval ? MeanInterval(of: values)?.halfWidth : nil)
    }

    /// Whether the choice is worth a change: it is better significantly, by more than half of the zone, and
    /// by more than one read; or it meets a limit or memory that the reference violates; or it is no worse
    /// with a tenth less memory.
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

    /// Returns whether a limit is violated in the mean, or in one seed if it applies to every seed.
    func breaks(_ sample: ObservedSample) -> Bool {
      rules[0].constraints.contains { constraint in
        guard let values = sample.complete(constraint.figure) else { return false }
        return ConstraintJudgement(constraint, values: values)
          .map { !constraint.isKept(by: $0.value) } ?? false
      }
    }
  }
}
