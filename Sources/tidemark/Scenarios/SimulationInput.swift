import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import ResultModel
import Workloads

struct SimulationInput: Sendable {
  /// The paths, or the name in ``ScenarioFile/folder``, as the user wrote them: one for each recording.
  let arguments: [String]
  /// The scenario; for recordings, the lent or default one.
  var file: ScenarioFile
  /// The recordings; `nil`: traffic is generated from the scenario.
  var recorded: RecordedUsers?
  /// The clients that a check runs, by index; `nil`: all.
  var clients: [Int]?

  /// The files that were read; of a scenario named without its path also that name, which is no file.
  var paths: [String] { [file.path] + arguments }

  var argument: String { arguments.joined(separator: " ") }

  var name: String { recorded?.name ?? file.scenario.name }

  /// Whether every seed is another stream, unlike recordings.
  var isDrawn: Bool { recorded == nil }

  /// The truth of recordings; `nil` for a scenario.
  var recordedTruth: Truth? { recorded?.truth }

  /// The limits for policies without their own.
  var sharedLimits: SharedLimits {
    let cache = file.scenario.cache
    return SharedLimits(capacity: cache.capacity, maximumQueries: cache.maximumQueries)
  }

  /// The identity that distinguishes its results from those of another input with its name.
  var identity: ScenarioIdentity { identity(claims: [:]) }

  /// Returns the identity with the names and versions reported by caches, by contender.
  func identity(claims: [String: String]) -> ScenarioIdentity {
    func fields(_ values: [ScenarioContent.Value]) -> [ScenarioIdentity.Field] {
      values.map { ScenarioIdentity.Field($0.path, $0.text) }
    }
    var content = ScenarioContent(file.scenario)
    content.contenders += file.caches.flatMap { cache in
      cache.cache.content.map { .init(path: "policies.\(cache.name).\($0.path)", text: $0.text) }
    }
    content.contenders += claims.sorted { $0.key < $1.key }.map {
      .init(path: "policies.\($0.key).claim", text: $0.value)
    }
    return ScenarioIdentity(
      scenario: name, workload: fields(recorded?.content ?? content.workload),
      contenders: fields(content.contenders), isRecorded: !isDrawn)
  }

  /// Creates an input from a scenario that was already read.
  init(_ file: ScenarioFile) {
    self.init(arguments: [file.path], file: file)
  }

  init(arguments: [String], file: ScenarioFile) {
    self.arguments = arguments
    self.file = file
  }

  init(_ recorded: RecordedUsers, file: ScenarioFile) {
    arguments = recorded.paths
    self.file = file
    self.recorded = recorded
  }

  /// The input with a server that confirms unchanged answers.
  var confirmingWhatIsUnchanged: SimulationInput {
    var input = self
    input.file.scenario.server.notModified = true
    for user in (recorded?.users ?? []).indices {
      for session in (recorded?.users[user].sessions ?? []).indices {
        input.recorded?.users[user].sessions[session].saysNotModified = true
      }
    }
    return input
  }

  // MARK: Replicates

  /// Returns the traffic: generated at each call, or the first recording.
  func workload(seed: UInt64?) -> Workload {
    recorded?.users[0].sessions[0] ?? Workload.generate(file.scenario, seed: seed)
  }

  /// Returns the simulations of one replicate: the stream of a seed, or all recordings of a user, whose
  /// number from 1 replaces the seed.
  func simulations(seed: UInt64?) -> [Simulation] {
    guard let recorded else {
      return [
        Simulation(of: workload(seed: seed), sharedLimits: sharedLimits, clients: clients)
      ]
    }
    let number = recorded.users.count > 1 ? Int(seed ?? 1) : 1
    return recorded.users[number - 1].sessions.map {
      Simulation(of: $0, sharedLimits: sharedLimits)
    }
  }

  /// Returns the number of the first replicate.
  func firstSeed(_ asked: UInt64?) -> UInt64 {
    recorded.map { $0.users.count > 1 ? 1 : file.scenario.seed } ?? asked ?? file.scenario.seed
  }

  /// Returns the replicates of a study, at most this many; `nil` for the only one of a recording.
  func seeds(_ count: Int, from first: UInt64) -> [UInt64?] {
    guard let recorded else { return (0..<count).map { first &+ UInt64($0) } }
    return recorded.users.count > 1 ? (1...recorded.users.count).map { UInt64($0) } : [nil]
  }

  /// Returns the seed plan: a look at all recorded users, or the given one.
  func plan(_ seeds: SeedPlan) -> SeedPlan {
    recorded.map { .users($0.users.count) } ?? seeds
  }

  /// Removes intervals from means of few users.
  func claimed(_ means: [ResultRow]) -> [ResultRow] {
    guard let recorded, recorded.users.count < Replicate.user.fewestForInterval else {
      return means
    }
    return means.map { row in
      var row = row
      row.confidenceInterval = nil
      return row
    }
  }

  /// Returns every other user, for a search, or the rest, for judging its result.
  func half(isJudged: Bool) -> SimulationInput {
    var half = self
    half.recorded?.users = (recorded?.users ?? []).enumerated()
      .filter { ($0.offset % 2 == 1) == isJudged }.map(\.element)
    return half
  }

  func comparison(
    of contenders: [Contender], seed: UInt64?, seeds: SeedCount?
  ) -> Comparison {
    let plan = self.plan(seeds?.plan ?? .fixed(1))
    let rule = Goal(file.scenario.goal)
    guard recordedTruth != .observed else {
      return Comparison(
        input: self, contenders: contenders, rule: rule.countingUnknownHits(asFresh: false),
        otherRules: [("unknown hits fresh", rule.countingUnknownHits(asFresh: true))],
        plan: plan, planOfOtherRules: plan, firstSeed: firstSeed(seed))
    }
    let others: [(label: String, rule: Goal)] = [
      ("by waiting", rule.seeking(.minimise, .readWait)),
      ("by bytes", rule.seeking(.minimise, .bytesReceived)),
      ("for the worst client", rule.seeking(.maximise, .freshHitRatioOfWorstClient)),
    ]
    return Comparison(
      input: self, contenders: contenders, rule: rule,
      otherRules: plan.isWithoutIntervals
        ? [] : others.filter { $0.rule.objective != rule.objective },
      plan: plan, planOfOtherRules: plan == .automatic ? .ofOtherRules : plan,
      firstSeed: firstSeed(seed))
  }
}

/// Describes whose limits a preset has.
struct PresetLimits {
  let text: String

  init(_ preset: Preset) {
    let shared = Preset.Allowance(
      capacity: Capacity(entities: 1), maximumQueries: 1, freshness: .neverExpires)
    let composition = preset.composition(shared)
    switch (composition.capacity.entities, composition.maximumQueries) {
    case (nil, nil): text = "none"
    case (0, 0): text = "zero"
    default: text = "the scenario's, \(composition.limit.rawValue)"
    }
  }
}

extension Goal {
  init(_ section: GoalSection) {
    let zone: Zone? = section.zone.map {
      switch $0 {
      case .points(let width): .absolute(width)
      case .share(let share): .relative(share)
      }
    }
    let constraints = section.constraints.map { limit in
      Constraint(
        Figure(limit.metric, limit.statistic), limit.comparison, limit.limit)
    }
    if section.metric == .freshHitRatio, section.seeks == .highest {
      self = .freshReads(staleWeight: section.staleWeight, zone: zone, subjectTo: constraints)
    } else {
      self.init(
        section.seeks == .highest ? .maximise : .minimise, Figure(section.metric), zone: zone,
        subjectTo: constraints)
    }
  }
}
