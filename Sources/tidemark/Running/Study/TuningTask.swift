import Analysis
import CommandLineInterface
import Workloads

/// Scenarios, and the settings to try in them.
struct TuningTask: Sendable {
  let sessions: [Session]
  let plan: SearchPlan
  /// Those named; none: each scenario's own.
  let policies: [String]
  let seed: UInt64?
  let seeds: SeedCount?
  /// Of each session.
  let settings: [[TunedSetting]]
  /// The fields of the columns, whoever has them.
  let knobs: [Knob]

  init(
    sessions: [Session], plan: SearchPlan, policies: [String], seed: UInt64?, seeds: SeedCount?,
    knobs: [Knob]? = nil
  ) throws {
    self.sessions = sessions
    self.plan = plan
    self.policies = policies
    self.seed = seed
    self.seeds = seeds
    self.knobs = knobs ?? plan.knobs
    let columns = self.knobs.map(\.name)
    settings = try sessions.map {
      try plan.settings(of: $0.file, policies: policies, columns: columns)
    }
    let count = settings.reduce(0) { $0 + $1.count }
    guard count <= SearchPlan.settingLimit else {
      throw CommandFailure(
        .input, "\(count) settings are more than \(SearchPlan.settingLimit); vary less")
    }
  }

  /// The first seed of each session.
  var firstSeeds: [UInt64] { sessions.map { seed ?? $0.file.scenario.seed } }

  /// After how many seeds to look; a recording is one.
  func seedPlan(of session: Session) -> SeedPlan {
    let usual: SeedPlan = plan.method == .grid ? .fixed(1) : .fixed(4)
    return session.isDrawn ? seeds?.plan ?? usual : .fixed(1)
  }

  /// Whether the scenarios compare the same on as many seeds, so that there is a total.
  var hasTotal: Bool {
    settings.allSatisfy { $0.map(\.label) == settings[0].map(\.label) }
      && sessions.allSatisfy { $0.isDrawn == sessions[0].isDrawn }
  }

  /// What a person should know before it begins.
  func notes(_ objectives: [Objective]) -> [String] {
    var notes: [String] = []
    if objectives.contains(where: \.needsFreshness) {
      for session in sessions where session.recordedTruth == .observed {
        notes.append(
          "\(session.name): weighed by hit_ratio in place of fresh_hit_ratio: what was fresh in the log "
            + "of an app is not known")
      }
    }
    // Where not every combination is there, none says of a field alone that it changes nothing.
    for (session, tried) in zip(sessions, settings) where plan.method == .grid {
      notes += IgnoredField.all(in: tried).map { $0.text(in: session.name) }
    }
    if !hasTotal {
      notes.append(
        "no total: the scenarios compare different policies, or only some are recordings; name what is "
          + "in all with --policies")
    }
    return notes
  }
}
