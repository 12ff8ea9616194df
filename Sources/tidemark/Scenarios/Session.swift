import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import ResultModel
import Text
import Workloads

/// What one input of `simulate` or `tune` stands for: what happens, and the caches that see it.
struct Session: Sendable {
  /// The path, or the name in ``ScenarioFile/folder``, as the user wrote it.
  var input: String
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

  /// By what results of it are told from those of another session of its name.
  var identity: ScenarioIdentity { identity(claims: [:]) }

  /// The same with what caches said of their names and versions, by the contestant's name.
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

  /// What happens: as it was recorded, or drawn anew at each call.
  func workload(seed: UInt64?) -> Workload {
    recorded ?? Workload.generate(file.scenario, seed: seed)
  }

  /// A scenario that was read already.
  init(_ file: ScenarioFile) {
    self.init(input: file.path, file: file)
  }

  private init(
    input: String, file: ScenarioFile, recorded: Workload? = nil, digest: String? = nil
  ) {
    self.input = input
    self.file = file
    self.recorded = recorded
    self.digest = digest
    outcomes = recorded.flatMap { RecordedOutcomes(of: $0) }
  }

  /// What to compare here.
  func comparison(
    of contestants: [Contestant], seed: UInt64?, seeds: SeedCount?
  ) -> Comparison {
    let plan = isDrawn ? seeds?.plan ?? .fixed(1) : .fixed(1)
    let rule = ShipRule(file.scenario.goal)
    let others: [(label: String, rule: ShipRule)] = [
      ("by waiting", rule.seeking(.minimise, .readWait)),
      ("by bytes", rule.seeking(.minimise, .bytesReceived)),
      ("for the worst client", rule.seeking(.maximise, .freshHitRatioOfWorstClient)),
    ]
    return Comparison(
      session: self, contestants: contestants, rule: rule,
      otherRules: plan == .fixed(1)
        ? [] : others.filter { $0.rule.objective != rule.objective },
      plan: plan, firstSeed: seed ?? file.scenario.seed)
  }

  /// Reads scenarios and recordings, or all scenarios of ``ScenarioFile/folder`` where none is named.
  ///
  /// - Parameters:
  ///   - inputs: As the user wrote them.
  ///   - seed: What the user asked for.
  ///   - command: The command that asks.
  /// - Returns: One for each input.
  /// - Throws: ``CommandFailure`` or `ScenarioError`; also for two of one name, since results are told
  ///   apart by it, and for a recording where a seed was asked for.
  static func load(
    _ inputs: [String], seed: UInt64?, command: String?
  ) throws -> [Session] {
    var names: [ScenarioFile.Named] = []
    var sessions: [Session] = []
    for input in inputs.isEmpty ? try ScenarioFile.names() : inputs {
      let session =
        try isRecording(input) ? recorded(input, seed: seed, command: command) : drawn(input)
      names.append((input, session.name))
      try ScenarioFile.checkNames(names)
      sessions.append(session)
    }
    return try sessions.map { try $0.withCaches() }
  }

  private static func isRecording(_ input: String) -> Bool {
    input == InputFile.standardInput
      || (CompressedForm.plainName(of: input) ?? input).hasSuffix(".jsonl")
  }

  private static func drawn(_ input: String) throws -> Session {
    Session(input: input, file: try ScenarioFile.load(input))
  }

  private static func recorded(
    _ input: String, seed: UInt64?, command: String?
  ) throws -> Session {
    let title = InputFile.title(of: input)
    guard seed == nil else {
      throw CommandFailure(
        .input, "\(title): a recording draws nothing, so no seed changes it; omit --seed")
    }
    let bytes = try InputFile.read(input, limit: recordingLimit, command: command)
    do {
      let (workload, lines) = try SessionRecording.readWithLines(bytes)
      let file = ScenarioFile(path: input, scenario: Scenario(of: workload.model))
      let session = Session(
        input: input, file: file, recorded: workload, digest: Fingerprint(of: bytes).text)
      let notes =
        LogContradictions(in: workload).texts(lines)
        + [RecordingGap.text(of: workload.gaps), session.outcomes?.gapsText]
      for text in notes.compactMap(\.self) { Console.note("\(title): \(text)") }
      return session
    } catch {
      throw CommandFailure(.input, "\(title): \(error)")
    }
  }

  /// A recording holds what happened, not which caches saw it: they are those of the scenario whose
  /// name it bears, else the presets under common defaults.
  private func withCaches() throws -> Session {
    guard let recorded else { return self }
    var session = self
    if let names = try? ScenarioFile.names(), names.contains(recorded.name) {
      session.file = try ScenarioFile.load(recorded.name)
      guard session.file.scenario.queryNames == recorded.model.shapes.map(\.name) else {
        throw CommandFailure(
          .input,
          "\(InputFile.title(of: input)): \(session.file.path) has its name and other queries, so its caches "
            + "are for another app; give one of the two another name")
      }
      Console.note(
        "\(InputFile.title(of: input)): policies, cache settings and targets of \(session.file.path)"
      )
    } else {
      session.file.scenario.policies = Preset.all.map { PolicyEntry(preset: $0.name) }
    }
    if outcomes != nil, session.file.scenario.policies.contains(where: { $0.name == Self.ownRow }) {
      throw CommandFailure(
        .input,
        "\(session.file.path): a policy is called \"\(Self.ownRow)\", as the row of the outcomes in "
          + "\(InputFile.title(of: input)); give it another name")
    }
    return session
  }

  private static let ownRow = ResultRow.recordedPolicy
}
