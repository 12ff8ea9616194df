import Analysis
import ResultModel

/// What a search for a recommendation came to, with all that its text says.
struct RecommendOutcome: Sendable {
  let input: SimulationInput
  /// What is read in the recording of an app; `nil` of anything else.
  let reads: RecordedReads?
  let rule: Goal
  /// How many settings were tried, and of how many policies.
  let tried: Int
  let policies: Int
  let seedsOfSearch: Int
  let chosen: Choice
  let curve: Curve
  let elsewhere: [Elsewhere]
  let judged: Judged
  let client: ClientKnobs?

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

  /// The choice and what it is held against, on seeds that nothing was chosen by.
  struct Judged: Sendable {
    let reference: String
    let seeds: Int
    let own: ObservedSample
    /// `nil` where the choice is the reference.
    let theirs: ObservedSample?
    /// Whether the reference is what the app does today.
    let isNow: Bool
    /// The objective; of the recording of an app at both ends of what it leaves open.
    let ends: [Figure]
  }
}
