import Analysis
import CommandLineInterface
import ResultModel
import Workloads

/// The result of a search for a recommendation, with all data for its text.
struct RecommendOutcome: Sendable {
  let input: SimulationInput
  /// The reads in an app's recordings; `nil` for anything else.
  let reads: RecordedReads?
  let rule: Goal
  let tried: Int
  let policies: [String]
  /// The number of other policies tried, each as it is.
  let presets: Int
  let seedsOfSearch: Int
  let firstSeedOfJudgement: UInt64
  let chosen: Choice
  /// The effect of each field of the choice, compared with the choice without that field.
  let worth: [Proposal.Field: Judged]
  let budget: Budget?
  /// A memory, in bytes, in which the nearest keeps the limits that nothing keeps in the allowed one; `nil`: none is
  /// known.
  let enoughMemory: Int?
  /// `nil` where there is no budget, or nothing may be recommended.
  let curve: MemoryCurve?
  /// The choices under other conditions, in words.
  let elsewhere: [String]
  let judged: Judged
  let client: ClientKnobs?

  /// The answer: the choice, or the reference if the change is not worthwhile.
  var answer: Proposal { judged.isWorthIt ? chosen.proposal : judged.reference }

  /// The entry to add to the scenario's policies, if any.
  var entry: ScenarioDocument.Policy? {
    guard chosen.isRecommended, answer != judged.reference else { return nil }
    return answer.entry(in: input.file.document)
  }

  /// The choice among the best of each policy.
  struct Choice: Sendable {
    var proposal: Proposal
    let finalists: [Proposal]
    let verdict: ShipVerdict
    /// The verdict in both cases of a recording's unknown hits.
    var recorded: RecordedVerdict?

    /// Whether it keeps the limits, as far as is known at both ends of what a recording leaves open.
    var isRecommended: Bool {
      if recorded?.best.isEmpty == true { return false }
      if case .notDecided = verdict.outcome { return true }
      return !verdict.named.isEmpty
    }

    /// The verdict in the better case of a recording's unknown hits.
    var lenientVerdict: ShipVerdict { recorded?.ifFresh ?? verdict }

    /// The limits that it breaks.
    var broken: [ConstraintJudgement] {
      (lenientVerdict.standing(of: proposal.label)?.judgements ?? [])
        .filter { !$0.constraint.isKept(by: $0.value) }
    }

    /// Whether no finalist keeps the limits, whatever a recording leaves open.
    var isOverLimits: Bool {
      guard !isRecommended else { return false }
      return switch lenientVerdict.outcome {
      case .noneFeasible: true
      case .bestOfOneSeed(let best): best.isEmpty
      case .bestOfFewUsers(let few): few.best.isEmpty
      default: false
      }
    }

    /// Those of some finalists that were not chosen.
    func others(among names: [String]) -> [String] {
      let chosen = BestLine(verdict: verdict, trials: 0).setting
      return finalists.filter { names.contains($0.label) && $0.label != chosen }.map(\.shortLabel)
    }
  }

  /// The limit of all proposals.
  struct Budget: Sendable {
    /// In bytes.
    let memory: Int
    /// Where it is from, in words.
    let source: String
  }
}

extension RecommendOutcome {
  /// The choice and what it is compared with, on the same seeds.
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
    /// The limit in bytes; `nil`: none.
    let memoryAllowed: Int?
    /// The goals for judging; for an app's recordings, both cases of their unknown hits.
    let rules: [Goal]
    /// The part of what is too little to choose by that a lead must exceed.
    let leastLead: Double

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
      return difference(zip(values, others).map { sign * ($0 - $1) })
    }

    /// The choice's peak of memory less the reference's, over all seeds as `simulate` shows it, in bytes.
    var peakDifference: Double? {
      guard let mine = own.complete(.peakMemory)?.max(),
        let other = theirs?.complete(.peakMemory)?.max()
      else { return nil }
      return mine - other
    }

    /// Returns a mean with its half-width if there are enough replicates.
    func mean(_ figure: Figure, of sample: ObservedSample) -> Difference? {
      guard let values = sample.complete(figure), !values.isEmpty else { return nil }
      return difference(values)
    }

    private func difference(_ values: [Double]) -> Difference {
      Difference(
        mean: values.reduce(0, +) / Double(values.count),
        halfWidth: hasInterval ? MeanInterval(of: values)?.halfWidth : nil)
    }

    /// The smallest difference that matters, at least one read.
    private func least(_ part: Double) -> Double {
      let best = mean(objective, of: own)?.mean ?? 0
      return max(rules[0].zone.width(best: best) * part, objective.unit == .ratio ? oneRead : 0)
    }

    /// Whether it is better by more than chance, by more than is too little to choose by, and by more than one read.
    var isAhead: Bool {
      let least = least(leastLead)
      return leads.allSatisfy { $0.low > 0 && $0.mean > least }
    }

    /// The memory that it saves without being worse, as a share, from a tenth on; `nil`: it does not.
    var memorySaved: Double? {
      let least = least(Self.usualLead)
      guard weighsMemory, leads.allSatisfy({ $0.mean > -least }),
        let memory = difference(.peakMemory)?.mean,
        let all = theirs.flatMap({ mean(.peakMemory, of: $0)?.mean }), -memory >= all / 10
      else { return nil }
      return -memory / all
    }

    static let usualLead = 0.5

    /// Whether the choice is worth a change: it is better; or it keeps a limit or a memory that the reference breaks;
    /// or it is no worse in a tenth less memory.
    var isWorthIt: Bool {
      guard let theirs, leads.count == rules.count else { return true }
      // What takes more than is allowed is no alternative, even if the choice breaks a limit on these seeds.
      if let memoryAllowed, let peak = theirs.complete(.peakMemory)?.max(),
        peak > Double(memoryAllowed), let difference = peakDifference, difference < 0
      {
        return true
      }
      if breaks(theirs) != breaks(own) { return breaks(theirs) }
      return isAhead || memorySaved != nil
    }

    /// Returns whether a limit is violated in the mean, or in one seed if it applies to every seed.
    func breaks(_ sample: ObservedSample) -> Bool { rules[0].isBroken(by: sample) }
  }
}

extension Goal {
  /// Whether a limit is violated in the mean, or in one seed if it applies to every seed.
  func isBroken(by sample: ObservedSample) -> Bool {
    constraints.contains { constraint in
      guard let values = sample.complete(constraint.figure) else { return false }
      return ConstraintJudgement(constraint, values: values)
        .map { !constraint.isKept(by: $0.value) } ?? false
    }
  }
}
