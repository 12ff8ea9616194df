import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import RecordingCodec
import Reporting
import ResultModel
import Text
import Workloads

/// What one argument of `simulate` or `tune` stands for: what happens, and the caches that see it.
struct SimulationInput: Sendable {
  /// The path, or the name in ``ScenarioFile/folder``, as the user wrote it.
  var argument: String
  /// The scenario; of a recording that whose name it bears, for its policies, caches and targets.
  var file: ScenarioFile
  /// What was recorded; `nil`: to be drawn from the scenario.
  private var recorded: Workload?
  /// Of the recording's bytes.
  private var digest: String?

  /// The largest recording that is read, in bytes.
  private static let recordingLimit = 1 << 31

  /// What results call it.
  var name: String { recorded?.name ?? file.scenario.name }

  /// Whether every seed is another stream; a recording is one.
  var isDrawn: Bool { recorded == nil }

  /// What the states of a recording are worth; `nil` of a scenario.
  var recordedTruth: Truth? { recorded?.truth }

  /// What a policy is held against that has no limit of its own.
  var sharedLimits: SharedLimits {
    let cache = file.scenario.cache
    return SharedLimits(capacity: cache.capacity, maximumQueries: cache.maximumQueries)
  }

  /// By what results of it are told from those of another input of its name.
  var identity: ScenarioIdentity { identity(claims: [:]) }

  /// The same with what caches said of their names and versions, by the contender's name.
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
      scenario: name,
      workload: digest.map { [ScenarioIdentity.Field("recording", $0)] }
        ?? fields(content.workload),
      contenders: fields(content.contenders), isRecorded: !isDrawn)
  }

  /// What the log of an app tells of its own cache; `nil` where it tells nothing.
  private(set) var outcomes: RecordedOutcomes?

  /// What happens: as it was recorded, or drawn again at each call.
  func workload(seed: UInt64?) -> Workload {
    recorded ?? Workload.generate(file.scenario, seed: seed)
  }

  /// A scenario that was read already.
  init(_ file: ScenarioFile) {
    self.init(argument: file.path, file: file)
  }

  private init(
    argument: String, file: ScenarioFile, recorded: Workload? = nil, digest: String? = nil
  ) {
    self.argument = argument
    self.file = file
    self.recorded = recorded
    self.digest = digest
    outcomes = recorded.flatMap { RecordedOutcomes(of: $0) }
  }

  /// What to compare here.
  func comparison(
    of contenders: [Contender], seed: UInt64?, seeds: SeedCount?
  ) -> Comparison {
    let plan = isDrawn ? seeds?.plan ?? .fixed(1) : .fixed(1)
    let rule = Goal(file.scenario.goal)
    let others: [(label: String, rule: Goal)] = [
      ("by waiting", rule.seeking(.minimise, .readWait)),
      ("by bytes", rule.seeking(.minimise, .bytesReceived)),
      ("for the worst client", rule.seeking(.maximise, .freshHitRatioOfWorstClient)),
    ]
    return Comparison(
      input: self, contenders: contenders, rule: rule,
      otherRules: plan == .fixed(1)
        ? [] : others.filter { $0.rule.objective != rule.objective },
      plan: plan, planOfOtherRules: plan == .automatic ? .ofOtherRules : plan,
      firstSeed: seed ?? file.scenario.seed)
  }

  /// Reads scenarios and recordings, or all scenarios of ``ScenarioFile/folder`` where none is named.
  ///
  /// - Parameters:
  ///   - arguments: As the user wrote them.
  ///   - seed: What the user asked for.
  ///   - command: The command that asks.
  /// - Returns: One for each input.
  /// - Throws: ``CommandFailure`` or `ScenarioError`; also for two of one name, since results are told
  ///   apart by it, and for a recording where a seed was asked for.
  static func load(
    _ arguments: [String], seed: UInt64?, command: String?
  ) throws -> [SimulationInput] {
    var names: [ScenarioFile.Named] = []
    var inputs: [SimulationInput] = []
    for argument in arguments.isEmpty ? try ScenarioFile.names() : arguments {
      let input =
        try isRecording(argument)
        ? recorded(argument, seed: seed, command: command) : drawn(argument)
      names.append((argument, input.name))
      try ScenarioFile.checkNames(names)
      inputs.append(input)
    }
    return try inputs.map { try $0.withCaches() }
  }

  private static func isRecording(_ argument: String) -> Bool {
    argument == InputFile.standardInput
      || (CompressedForm.plainName(of: argument) ?? argument).hasSuffix(".jsonl")
  }

  private static func drawn(_ argument: String) throws -> SimulationInput {
    SimulationInput(argument: argument, file: try ScenarioFile.load(argument))
  }

  private static func recorded(
    _ argument: String, seed: UInt64?, command: String?
  ) throws -> SimulationInput {
    let title = InputFile.title(of: argument)
    guard seed == nil else {
      throw CommandFailure(
        .input, "\(title): a recording draws nothing, so no seed changes it; omit --seed")
    }
    let bytes = try InputFile.read(argument, limit: recordingLimit, command: command)
    do {
      let workload = try SessionRecording.read(bytes)
      let file = ScenarioFile(path: argument, scenario: Scenario(of: workload.model))
      let input = SimulationInput(
        argument: argument, file: file, recorded: workload, digest: Fingerprint(of: bytes).text)
      let notes = [RecordingGap.text(of: workload.gaps), input.outcomes?.gapsText]
      for text in notes.compactMap(\.self) { Console.note("\(title): \(text)") }
      return input
    } catch {
      throw CommandFailure(.input, "\(title): \(error)")
    }
  }

  /// A recording holds what happened, not which caches saw it: they are those of the scenario whose
  /// name it bears, else the presets under common defaults.
  private func withCaches() throws -> SimulationInput {
    guard let recorded else { return self }
    var input = self
    if let names = try? ScenarioFile.names(), names.contains(recorded.name) {
      input.file = try ScenarioFile.load(recorded.name)
      guard input.file.scenario.queryNames == recorded.model.shapes.map(\.name) else {
        throw CommandFailure(
          .input,
          "\(InputFile.title(of: argument)): \(input.file.path) has its name and other queries, so its caches "
            + "are for another app; give one of the two another name")
      }
      Console.note(
        "\(InputFile.title(of: argument)): policies, cache settings and targets of \(input.file.path)"
      )
    } else {
      input.file.scenario.policies = Preset.all.map { PolicyEntry(preset: $0.name) }
    }
    if outcomes != nil, input.file.scenario.policies.contains(where: { $0.name == Self.ownRow }) {
      throw CommandFailure(
        .input,
        "\(input.file.path): a policy is called \"\(Self.ownRow)\", as the row of the outcomes in "
          + "\(InputFile.title(of: argument)); give it another name")
    }
    return input
  }

  private static let ownRow = ResultRow.recordedPolicy
}

/// Whose limits a preset keeps, in words.
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

extension RecordedOutcomes {
  /// That some reads have no outcome; `nil` where all have one.
  var gapsText: String? {
    guard told < reads else { return nil }
    let (told, reads) = (HumanNumber.count(Double(told)), HumanNumber.count(Double(reads)))
    return "\(told) of \(reads) reads have an `outcome`; "
      + "the row \(ResultRow.recordedPolicy) is of these alone"
  }
}

extension RecordedGap {
  /// What a person is told.
  var text: String {
    "by its outcomes the app had \(HumanNumber.percent(recorded)) hits, more than 10 points from every "
      + "policy (nearest: \(nearest), \(HumanNumber.percent(nearestRatio))), so the log is wrong or the "
      + "app's cache is none of these; check `outcome` and `order`, or name a policy like it"
  }
}

extension RecordingGap {
  /// What a person is told of what a recording lacks; `nil` where it lacks nothing.
  static func text(of gaps: [RecordingGap]) -> String? {
    guard let first = gaps.first else { return nil }
    let causes = Cause.allCases.compactMap { cause -> String? in
      let lines = gaps.filter { $0.cause == cause }.reduce(0) { $0 + $1.lines }
      return lines == 0 ? nil : "\(HumanNumber.count(Double(lines))) \(cause.text)"
    }
    let seconds = HumanNumber.count(Double(first.at.nanoseconds / 1_000_000_000))
    return "the recording lacks lines from \(seconds) s on: \(causes.joined(separator: ", ")); "
      + "figures of what follows may not be the app's"
  }
}

extension RecordingGap.Cause {
  fileprivate var text: String {
    switch self {
    case .buffer: "for want of room while the disk was slow"
    case .file: "since the file could not be written"
    case .format: "for which the format has no place"
    }
  }
}

extension Goal {
  /// What a scenario asks of the cache that is shipped for it.
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
