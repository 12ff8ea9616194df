import Analysis
import CommandLineInterface
import ResultModel
import Workloads

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
  /// The first seed of the judgement.
  let firstSeedOfJudgement: UInt64
  let chosen: Choice
  /// What each field of the choice is worth: what it is compared with lacks that field alone.
  let worth: [Proposal.Field: Judged]
  let budget: Budget?
  /// `nil` where there is no budget, or nothing may be recommended.
  let curve: MemoryCurve?
  /// What would be chosen elsewhere, in words.
  let elsewhere: [String]
  let judged: Judged
  let client: ClientKnobs?

  /// What the answer is: what was chosen, or what it is compared with if the change is not worth its words.
  var answer: Proposal { judged.isWorthIt ? chosen.proposal : judged.reference }

  /// What is to be added to the scenario's policies; `nil`: nothing is.
  var entry: ScenarioDocument.Policy? {
    guard chosen.isRecommended, answer != judged.reference else { return nil }
    return answer.entry(in: input.file.document)
  }

  /// Who was chosen among the best of each policy.
  struct Choice: Sendable {
    var proposal: Proposal
    let finalists: [Proposal]
    let verdict: ShipVerdict
    /// What both ends say of the recording of an app.
    var recorded: RecordedVerdict?

    /// Whether it keeps the limits, as far as is known at both ends of what a recording leaves open.
    var isRecommended: Bool {
      if recorded?.best.isEmpty == true { return false }
      if case .notDecided = verdict.outcome { return true }
      return !verdict.named.isEmpty
    }

    /// Those of some finalists that were not chosen.
    func others(among names: [String]) -> [String] {
      let chosen = BestLine(verdict: verdict, trials: 0).setting
      return finalists.filter { names.contains($0.label) && $0.label != chosen }.map(\.shortLabel)
    }
  }

  /// What everything that is proposed is held to.
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
    /// `nil` where the choice is the reference.
    let theirs: ObservedSample?
    /// Whether the reference is what the app does today.
    let isNow: Bool
    /// Whether memory counts: what a client takes in its own runtime is not predicted.
    let weighsMemory: Bool
    /// What may be taken, in bytes; `nil`: whatever it takes.
    let memoryAllowed: Int?
    /// By what it is judged; of the recordings of an app at both ends of what they leave open.
    let rules: [Goal]
    /// The part of what is too little to choose by that a lead must exceed.
    let leastLead: Double

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
      return difference(zip(values, others).map { sign * ($0 - $1) })
    }

    /// The choice's peak of memory less the reference's, over all seeds as `simulate` shows it, in bytes.
    var peakDifference: Double? {
      guard let own = own.complete(.peakMemory)?.max(),
        let other = theirs?.complete(.peakMemory)?.max()
      else { return nil }
      return own - other
    }

    /// A mean with what stands behind ± where enough tell of it.
    func mean(_ figure: Figure, of sample: ObservedSample) -> Difference? {
      guard let values = sample.complete(figure), !values.isEmpty else { return nil }
      return difference(values)
    }

    private func difference(_ values: [Double]) -> Difference {
      Difference(
        mean: values.reduce(0, +) / Double(values.count),
        halfWidth: hasInterval ? MeanInterval(of: values)?.halfWidth : nil)
    }

    /// What is too little to choose by, or one read.
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
      if breaks(theirs) != breaks(own) { return breaks(theirs) }
      func isTooLarge(_ sample: ObservedSample) -> Bool {
        guard let memoryAllowed, let peaks = sample.complete(.peakMemory) else { return false }
        return peaks.contains { $0 > Double(memoryAllowed) }
      }
      if isTooLarge(theirs), !isTooLarge(own) { return true }
      return isAhead || memorySaved != nil
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
